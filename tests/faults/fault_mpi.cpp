// MPI calls that fail: the error handler of their communicator, file or window is called, as MPI does, and the code
// returned. Calls that poll (MPI_Test, MPI_Iprobe) are as many as there is time for, and pass.
#include <mpi.h>

#include "fault_plan.hpp"

namespace {

using namespace cairn::faults;

thread_local MPI_Comm of_requests = MPI_COMM_NULL;  // that of the last call that gave one

// By the names of the handles below: in other MPIs they are all integers.
int failure_of_c(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) communicator = MPI_COMM_WORLD;
  PMPI_Comm_call_errhandler(communicator, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}
int failure_of_f(MPI_File file) {
  PMPI_File_call_errhandler(file, MPI_ERR_IO);
  return MPI_ERR_IO;
}
int failure_of_w(MPI_Win window) {
  PMPI_Win_call_errhandler(window, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}
int failure_of_of_requests(MPI_Comm communicator) { return failure_of_c(communicator); }
int failure_of_MPI_FILE_NULL(MPI_File file) { return failure_of_f(file); }

}  // namespace

// A call on `handle`. Open MPI does not come here by calls of its own.
#define CAIRN_CALL(handle, name, declared, passed)                    \
  int name declared {                                                 \
    if (fails(Point::mpi, #name)) return failure_of_##handle(handle); \
    return P##name passed;                                            \
  }
// One that gives a request.
#define CAIRN_START(handle, name, declared, passed)                   \
  int name declared {                                                 \
    of_requests = handle;                                             \
    if (fails(Point::mpi, #name)) return failure_of_##handle(handle); \
    return P##name passed;                                            \
  }

using Type = MPI_Datatype;
using Comm = MPI_Comm;

extern "C" {

CAIRN_CALL(c, MPI_Barrier, (Comm c), (c))
CAIRN_CALL(c, MPI_Bcast, (void* b, int n, Type t, int r, Comm c), (b, n, t, r, c))
CAIRN_CALL(c, MPI_Reduce, (const void* s, void* r, int n, Type t, MPI_Op o, int k, Comm c), (s, r, n, t, o, k, c))
CAIRN_CALL(c, MPI_Allreduce, (const void* s, void* r, int n, Type t, MPI_Op o, Comm c), (s, r, n, t, o, c))
CAIRN_CALL(c, MPI_Scan, (const void* s, void* r, int n, Type t, MPI_Op o, Comm c), (s, r, n, t, o, c))
CAIRN_CALL(c, MPI_Exscan, (const void* s, void* r, int n, Type t, MPI_Op o, Comm c), (s, r, n, t, o, c))
CAIRN_CALL(c, MPI_Gather, (const void* s, int n, Type t, void* r, int m, Type u, int k, Comm c),
           (s, n, t, r, m, u, k, c))
CAIRN_CALL(c, MPI_Gatherv, (const void* s, int n, Type t, void* r, const int* m, const int* d, Type u, int k, Comm c),
           (s, n, t, r, m, d, u, k, c))
CAIRN_CALL(c, MPI_Scatterv, (const void* s, const int* n, const int* d, Type t, void* r, int m, Type u, int k, Comm c),
           (s, n, d, t, r, m, u, k, c))
CAIRN_CALL(c, MPI_Allgather, (const void* s, int n, Type t, void* r, int m, Type u, Comm c), (s, n, t, r, m, u, c))
CAIRN_CALL(c, MPI_Allgatherv, (const void* s, int n, Type t, void* r, const int* m, const int* d, Type u, Comm c),
           (s, n, t, r, m, d, u, c))
CAIRN_CALL(c, MPI_Alltoall, (const void* s, int n, Type t, void* r, int m, Type u, Comm c), (s, n, t, r, m, u, c))
CAIRN_CALL(c, MPI_Alltoallv,
           (const void* s, const int* n, const int* e, Type t, void* r, const int* m, const int* d, Type u, Comm c),
           (s, n, e, t, r, m, d, u, c))
CAIRN_CALL(c, MPI_Send, (const void* b, int n, Type t, int r, int g, Comm c), (b, n, t, r, g, c))
CAIRN_CALL(c, MPI_Recv, (void* b, int n, Type t, int r, int g, Comm c, MPI_Status* s), (b, n, t, r, g, c, s))
CAIRN_CALL(c, MPI_Probe, (int r, int g, Comm c, MPI_Status* s), (r, g, c, s))
CAIRN_CALL(c, MPI_Comm_dup, (Comm c, Comm* d), (c, d))
CAIRN_CALL(c, MPI_Comm_create, (Comm c, MPI_Group g, Comm* d), (c, g, d))
CAIRN_CALL(c, MPI_Comm_split, (Comm c, int k, int o, Comm* d), (c, k, o, d))
CAIRN_CALL(c, MPI_Comm_split_type, (Comm c, int t, int o, MPI_Info i, Comm* d), (c, t, o, i, d))
CAIRN_CALL(c, MPI_Win_allocate_shared, (MPI_Aint n, int u, MPI_Info i, Comm c, void* b, MPI_Win* w), (n, u, i, c, b, w))
CAIRN_CALL(w, MPI_Win_sync, (MPI_Win w), (w))
CAIRN_CALL(w, MPI_Win_lock_all, (int a, MPI_Win w), (a, w))
CAIRN_CALL(w, MPI_Win_unlock_all, (MPI_Win w), (w))
CAIRN_CALL(w, MPI_Win_shared_query, (MPI_Win w, int r, MPI_Aint* n, int* u, void* b), (w, r, n, u, b))
CAIRN_CALL(MPI_FILE_NULL, MPI_File_open, (Comm c, const char* p, int a, MPI_Info i, MPI_File* f), (c, p, a, i, f))
CAIRN_CALL(f, MPI_File_write_at, (MPI_File f, MPI_Offset o, const void* b, int n, Type t, MPI_Status* s),
           (f, o, b, n, t, s))
CAIRN_CALL(f, MPI_File_write_at_all, (MPI_File f, MPI_Offset o, const void* b, int n, Type t, MPI_Status* s),
           (f, o, b, n, t, s))
CAIRN_CALL(f, MPI_File_read_at, (MPI_File f, MPI_Offset o, void* b, int n, Type t, MPI_Status* s), (f, o, b, n, t, s))
CAIRN_CALL(f, MPI_File_read_at_all, (MPI_File f, MPI_Offset o, void* b, int n, Type t, MPI_Status* s),
           (f, o, b, n, t, s))
CAIRN_CALL(f, MPI_File_sync, (MPI_File f), (f))
CAIRN_CALL(f, MPI_File_set_size, (MPI_File f, MPI_Offset n), (f, n))

CAIRN_START(c, MPI_Isend, (const void* b, int n, Type t, int r, int g, Comm c, MPI_Request* q), (b, n, t, r, g, c, q))
CAIRN_START(c, MPI_Irecv, (void* b, int n, Type t, int r, int g, Comm c, MPI_Request* q), (b, n, t, r, g, c, q))
CAIRN_START(c, MPI_Ibarrier, (Comm c, MPI_Request* q), (c, q))
CAIRN_CALL(of_requests, MPI_Wait, (MPI_Request * q, MPI_Status* s), (q, s))
CAIRN_CALL(of_requests, MPI_Waitall, (int n, MPI_Request* q, MPI_Status* s), (n, q, s))
CAIRN_CALL(of_requests, MPI_Waitany, (int n, MPI_Request* q, int* k, MPI_Status* s), (n, q, k, s))

}  // extern "C"
