# Every library that Cairn needs. Each is found through its own CMake config, pkg-config, or *_ROOT / *_DIR.

# --- MPI: the C interface alone
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS C CXX)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)

# --- BLAS and LAPACK: the generic names, so that all libraries below share one implementation
if(NOT BLA_VENDOR)
  set(BLA_VENDOR Generic)
endif()
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)

find_package(PkgConfig REQUIRED)
# --- ScaLAPACK: Debian names its pkg-config file after the MPI (its CMake config names files that are not packaged)
pkg_search_module(SCALAPACK QUIET IMPORTED_TARGET scalapack-openmpi scalapack-mpich scalapack)
if(SCALAPACK_FOUND)
  add_library(scalapack ALIAS PkgConfig::SCALAPACK)
else()
  find_package(scalapack REQUIRED CONFIG)
endif()
# --- PETSc and SLEPc: loaded when they are first needed, from here or by the name that SLEPc's library gives itself;
# linked if they are not shared libraries. They must be built with the same MPI.
option(CAIRN_PETSC "Use PETSc and SLEPc; OFF: without the solver petsc of biharmonic interpolation and without Krylov-Schur" ON)
if(CAIRN_PETSC)
  pkg_search_module(PETSC REQUIRED IMPORTED_TARGET PETSc petsc)
  pkg_search_module(SLEPC REQUIRED IMPORTED_TARGET SLEPc slepc)
endif()
option(CAIRN_LINK_PETSC "Link PETSc and SLEPc; OFF: they are loaded when they are first needed" OFF)

# cairn_shared_library(<prefix> <name>): <prefix>_FOLDER and <prefix>_SONAME, of the library <name> of that module; empty
# if it is not shared, or if it is several (PETSc's --with-single-library=0)
function(cairn_shared_library prefix name)
  set(file "${${prefix}_LINK_LIBRARIES}")
  list(FILTER file INCLUDE REGEX "/lib${name}[^/]*\\.(so|dylib)$")
  list(REMOVE_DUPLICATES file)
  list(LENGTH file count)
  set(soname "")
  if(count EQUAL 1)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE headers ERROR_QUIET)
    if(headers MATCHES "SONAME +([^\n ]+)")
      set(soname ${CMAKE_MATCH_1})
    endif()
  endif()
  set(folder "")
  if(soname)
    get_filename_component(file "${file}" REALPATH)
    get_filename_component(folder "${file}" DIRECTORY)
  endif()
  set(${prefix}_FOLDER "${folder}" PARENT_SCOPE)
  set(${prefix}_SONAME "${soname}" PARENT_SCOPE)
endfunction()

if(CAIRN_PETSC)
  cairn_shared_library(PETSC petsc)
  cairn_shared_library(SLEPC slepc)
else()
  set(PETSC_VERSION none)
  set(SLEPC_VERSION none)
endif()
if(CAIRN_PETSC AND NOT CAIRN_LINK_PETSC AND NOT (PETSC_SONAME AND SLEPC_SONAME))
  message(STATUS "PETSc and SLEPc are not one shared library each that objdump reads: they are linked")
  set(CAIRN_LINK_PETSC ON)
endif()
# --- Sparse factors, partitions of graphs, nearest neighbours
find_package(CHOLMOD REQUIRED)
find_package(METIS REQUIRED)
find_path(NANOFLANN_INCLUDE_DIR nanoflann.hpp REQUIRED)
# --- Fourier transforms
pkg_search_module(FFTW REQUIRED IMPORTED_TARGET fftw3)
pkg_search_module(FFTWF REQUIRED IMPORTED_TARGET fftw3f)
# --- Support vector machines: neither library brings a config
find_path(LIBLINEAR_INCLUDE_DIR linear.h PATH_SUFFIXES liblinear REQUIRED)
find_library(LIBLINEAR_LIBRARY linear REQUIRED)
find_path(LIBSVM_INCLUDE_DIR libsvm/svm.h REQUIRED)
find_library(LIBSVM_LIBRARY svm REQUIRED)
# --- Matchings of graphs
find_path(LEMON_INCLUDE_DIR lemon/matching.h REQUIRED)
find_library(LEMON_LIBRARY lemon REQUIRED)
# --- HDF5 with MPI-IO
set(HDF5_PREFER_PARALLEL TRUE)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "HDF5 ${HDF5_VERSION} was found, but without MPI; point HDF5_ROOT to a parallel build")
endif()

find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
# Optional: zlib's CRC-32 at several times its speed.
find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h)
find_library(LIBDEFLATE_LIBRARY deflate)
# Optional: networks in ONNX. Neither of Debian's packages brings a config that it can be found by.
find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h)
find_library(ONNX_PROTO_LIBRARY onnx_proto)
find_package(Protobuf QUIET)
# Optional: extracts of OpenStreetMap. Headers alone.
find_path(OSMIUM_INCLUDE_DIR osmium/io/pbf_input.hpp)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp)
find_package(LibLZMA REQUIRED)
find_package(EXPAT REQUIRED)
# Classes and small letters of all characters: Debian's package brings no config
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
