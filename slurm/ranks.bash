# shellcheck shell=bash
# Sourced by the batch scripts of this folder: the resources of their job, how ranks are started in it, and how it ends in time.

# The modules that Cairn was built with; the names differ from site to site:
# module load gcc/12 openmpi/4.1 openblas scalapack petsc slepc hdf5/parallel boost suitesparse metis expat

stop() { echo "$script: $1" >&2; exit "${2:-2}"; }

[ -n "${SLURM_JOB_ID:-}" ] && [ -n "${SLURM_TASKS_PER_NODE:-}" ] || stop "runs in a job of Slurm: submit it with sbatch"

# The program: CAIRN, or cairn in PATH, or a build in the folder from which the job was submitted.
cairn=${CAIRN:-$(command -v cairn || echo "$SLURM_SUBMIT_DIR/build/release/apps/cairn/cairn")}
[ -x "$cairn" ] || stop "no program $cairn; put cairn into PATH, or name it: export CAIRN=/path/to/cairn"

threads=${SLURM_CPUS_PER_TASK:-1}
# The maximum number of ranks per node: SLURM_TASKS_PER_NODE has the form 16(x3),8.
ranks_per_node=$(tr ',' '\n' <<<"$SLURM_TASKS_PER_NODE" | sed 's/(.*//' | sort -n | tail -n 1)

# given OPTION ARGUMENT...: whether the option is among the arguments
given() {
  local option=$1 argument
  shift
  for argument in "$@"; do
    case $argument in "$option" | "$option"=*) return 0 ;; esac
  done
  return 1
}

# find_resources ARGUMENT...: fills the array `resources` with threads and memory per rank, as options of cairn, unless they are
# among the arguments. A run whose plan exceeds its memory is refused before it starts, instead of being killed later.
find_resources() {
  resources=()
  given --run.threads "$@" || resources+=(--run.threads "$threads")
  given --run.memory "$@" && return
  if [ "${SLURM_MEM_PER_CPU:-0}" != 0 ]; then
    resources+=(--run.memory "$((SLURM_MEM_PER_CPU * threads))MiB")
  elif [ "${SLURM_MEM_PER_NODE:-0}" != 0 ]; then
    resources+=(--run.memory "$((SLURM_MEM_PER_NODE / ranks_per_node))MiB")
  fi
}

# find_launcher RANKS: fills the array `launcher` with the command that starts RANKS ranks, node after node.
# CAIRN_LAUNCHER: srun (default); mpirun, that of Open MPI; or another command with its options, which is given -n RANKS.
find_launcher() {
  local ranks=$1
  case ${CAIRN_LAUNCHER:-srun} in
    srun)
      launcher=(srun --mpi=pmix --nodes="$(nodes_of "$ranks")" --ntasks="$ranks" --distribution=block
        --cpus-per-task="$threads" --wait=30)  # the others would wait for a killed rank
      ;;
    mpirun) launcher=(mpirun -n "$ranks" --map-by "slot:PE=$threads" --bind-to core) ;;
    *)
      read -ra launcher <<<"$CAIRN_LAUNCHER"
      command -v "${launcher[0]}" >/dev/null || stop "CAIRN_LAUNCHER: there is no command '${launcher[0]}'"
      launcher+=(-n "$ranks")
      ;;
  esac
}

# nodes_of RANKS: the number of nodes that RANKS ranks fill, one after the other; all nodes of the job if these are all its ranks.
nodes_of() {
  local nodes=$((($1 + ranks_per_node - 1) / ranks_per_node))
  if [ "$1" -ge "$SLURM_NTASKS" ]; then nodes=$SLURM_JOB_NUM_NODES; fi
  echo "$nodes"
}

# run SIGNAL COMMAND...: runs the command, and sends SIGNAL to it when Slurm warns that the time is nearly over (SIGUSR1,
# requested by #SBATCH --signal=B:USR1@SECONDS). Sets `code` to its exit code, `warned` to yes if the warning came, and
# `ended` to yes if Slurm itself ends the job (canceled, or out of time): it must not go back into the queue then.
run() {
  local signal=$1 child caught
  shift
  warned=no ended=no
  "$@" &
  child=$!
  trap 'caught=yes warned=yes; kill -s "$signal" "$child" 2>/dev/null || true' USR1
  trap 'caught=yes ended=yes' TERM  # Slurm also sends it to srun and the ranks
  while caught=no code=0; wait "$child" || code=$?; [ $caught = yes ]; do :; done
  trap - TERM
  trap '' USR1
}

# requeue: puts the job back into the queue and ends this run of it; ends with `code` if Slurm does not allow it.
requeue() {
  echo "$script: stopped in time ($(date '+%F %T')); the job goes back into the queue"
  scontrol requeue "$SLURM_JOB_ID" || stop "Slurm does not requeue this job; submit it again and it goes on" "$code"
  exit "$code"
}
