"""Two hosts on one machine: namespaces of network, host name and shared memory, joined by a cable. The file system is one.

    two_hosts.py [--delay SECONDS] [--rate BYTES_A_SECOND] --ranks N... -- PROGRAM ARGUMENT...

runs PROGRAM on each of these numbers of ranks, which are dealt to the hosts in turn. What runs on the hosts, and the hosts, are
gone when it ends. Needs root, iproute2 and util-linux; with a delay or a rate also /dev/net/tun.
Exit codes: the first of the programs' that is not 0; 77: it cannot run here (says why).
"""

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ("cairn-a", "cairn-b")
DEVICE = "cable"  # on both hosts


def cannot_run():
    """Why there can be no hosts here; empty where there can."""
    if os.geteuid() != 0:
        return "needs root"
    for program in ("ip", "nsenter", "unshare", "setpriv", "mpirun"):
        if shutil.which(program) is None:
            return f"needs the program {program} (Debian: iproute2, util-linux, openmpi-bin)"
    tried = subprocess.run(["unshare", "--net", "--uts", "--ipc", "--mount", "true"], capture_output=True, text=True,
                           check=False)
    return "" if tried.returncode == 0 else f"may not make namespaces: {tried.stderr.strip()}"


class Host:
    """A process that keeps the namespaces, and what else runs in them."""

    def __init__(self, name, folder, address, others):
        self.name, self.folder, self.address = name, folder, address
        hosts = os.path.join(folder, f"hosts-{name}")
        with open(hosts, "w", encoding="utf-8") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"{a} {n}\n" for n, a in others.items()))
        script = (f"hostname {name} && mount -t tmpfs -o size=1g tmpfs /dev/shm && "
                  f"mount --bind {shlex.quote(hosts)} /etc/hosts && ip link set lo up && echo ready && exec sleep infinity")
        self.keeper = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--uts", "--ipc", "--mount",
                                        "sh", "-c", script], stdout=subprocess.PIPE, text=True)
        if self.keeper.stdout.readline() != "ready\n":
            raise OSError(f"{name} did not start")
        self.pid = self.keeper.pid
        self.namespace = os.readlink(f"/proc/{self.pid}/ns/net")
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(str(self.pid))

    def command(self, words):
        """A command as it is run on this host, in this environment and folder."""
        return ["nsenter", "--target", str(self.pid), "--net", "--uts", "--ipc", "--mount", f"--wd={os.getcwd()}", *words]

    def ip(self, *words):
        subprocess.run(self.command(["ip", *words]), check=True)

    def processes(self):
        """{pid: command line} of what runs here, the keeper excepted."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if int(pid) == self.pid or os.readlink(f"/proc/{pid}/ns/net") != self.namespace:
                    continue
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
            except OSError:
                continue  # it has ended
            if words:  # else it has ended, too, and waits for its parent
                found[int(pid)] = words
        return found

    def power_off(self):
        while running := self.processes():
            for pid in running:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)
        self.keeper.kill()
        self.keeper.wait()
        self.keeper.stdout.close()


class TwoHosts:
    """To be used by `with`."""

    def __init__(self, delay=0.0, rate=0.0):
        self.delay, self.rate = delay, rate
        self.wire, self.hosts = None, []

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a test that takes too long cleans up, too
        self.folder = tempfile.mkdtemp(prefix="cairn-hosts-")
        try:
            addresses = {name: f"10.77.0.{i + 1}" for i, name in enumerate(NAMES)}
            for name, address in addresses.items():
                self.hosts.append(Host(name, self.folder, address, addresses))
            self.join()
            with open(self.path("hostfile"), "w", encoding="utf-8") as file:
                file.write("".join(f"{name} slots=2\n" for name in NAMES))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for host in self.hosts:
            host.power_off()
        if self.wire:
            self.wire.kill()
            self.wire.wait()
            self.wire.stdout.close()
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def join(self):
        a, b = self.hosts
        if self.delay or self.rate:
            self.wire = subprocess.Popen([sys.executable, os.path.join(HERE, "wire.py"), str(self.delay), str(self.rate or 1e12),
                                          DEVICE, str(a.pid), DEVICE, str(b.pid)], stdout=subprocess.PIPE, text=True)
            if self.wire.stdout.readline() != "ready\n":
                raise OSError("the wire did not start")
        else:
            a.ip("link", "add", DEVICE, "type", "veth", "peer", "name", DEVICE, "netns", str(b.pid))
        for host in self.hosts:
            host.ip("address", "add", f"{host.address}/24", "dev", DEVICE)
            host.ip("link", "set", DEVICE, "up")

    def cut(self):
        """No packet arrives any more; with a wire neither side is told."""
        if self.wire:
            self.wire.send_signal(signal.SIGUSR1)
        else:
            self.hosts[1].ip("link", "set", DEVICE, "down")

    def set_retries(self, count):
        """How often the kernels of both send what is not acknowledged before they give a connection up."""
        for host in self.hosts:
            subprocess.run(host.command(["sh", "-c", f"echo {count} > /proc/sys/net/ipv4/tcp_retries2"]), check=True)

    def mpirun(self, *settings):
        """What starts ranks from the first host on both, in turn; -n and the program follow. Ranks yield when they wait: neither
        host knows that the other one's ranks are on its cores."""
        return self.hosts[0].command(["mpirun", "--hostfile", self.path("hostfile"), "--map-by", "node", "--oversubscribe",
                                      "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca", "plm_rsh_agent",
                                      os.path.join(HERE, "enter"), "-x", "OPENBLAS_NUM_THREADS", "-x", "OMP_NUM_THREADS", *settings])

    def environment(self):
        return {**os.environ, "CAIRN_TEST_HOSTS": self.folder, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("command", nargs="+")
    chosen = parser.parse_args()
    if reason := cannot_run():
        print(f"two_hosts: skipped: {reason}")
        return 77
    with TwoHosts(chosen.delay, chosen.rate) as hosts:
        for ranks in chosen.ranks:
            print(f"two_hosts: {ranks} ranks on {' and '.join(NAMES)}: {shlex.join(chosen.command)}", flush=True)
            command = [*hosts.mpirun(), "-n", str(ranks), *chosen.command]
            code = subprocess.run(command, env=hosts.environment(), check=False).returncode
            if code != 0:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
