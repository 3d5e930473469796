# cairn_test(<name> SOURCES <files> LIBRARIES <targets> [RANKS <counts>] [APART] [LABELS <labels>] [TIMEOUT <seconds>])
# A GoogleTest program that runs on 1, 2, 3 and 4 ranks unless RANKS says otherwise: on communicators of one start of as
# many ranks as the largest has. APART: each number of ranks has a start of its own, of what is once in a process.
find_package(GTest REQUIRED)

# A test is compiled more often than it is run: little is optimized in it, and less if it is watched.
function(cairn_test_compilation name)
  if(CAIRN_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

function(cairn_test name)
  cmake_parse_arguments(TEST "APART" "TIMEOUT" "SOURCES;LIBRARIES;RANKS;LABELS" ${ARGN})
  if(NOT TEST_RANKS)
    set(TEST_RANKS 1 2 3 4)
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 600)
  endif()
  if(CAIRN_SANITIZE)
    math(EXPR TEST_TIMEOUT "3 * ${TEST_TIMEOUT}")
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE cairn_test_main ${TEST_LIBRARIES} GTest::gmock)
  cairn_test_compilation(${name})
  # Not with options of their own, those of pkg-config.
  if(NOT "${TEST_LIBRARIES}" MATCHES "PkgConfig")
    target_precompile_headers(${name} REUSE_FROM cairn_test_main)
  endif()
  cairn_unity(${name})
  set(starts ${TEST_RANKS})
  list(LENGTH TEST_RANKS count)
  if(NOT TEST_APART AND count GREATER 1)
    list(JOIN TEST_RANKS "," starts)
  endif()
  foreach(ranks IN LISTS starts)
    string(REGEX MATCH "[0-9]+$" largest ${ranks})
    set(test ${name})
    if(TEST_APART)
      set(test ${name}.${ranks})
    endif()
    add_test(NAME ${test} COMMAND ${CAIRN_MPIEXEC} -n ${largest} $<TARGET_FILE:${name}> --ranks=${ranks})
    # What waits leaves the processor to others.
    set(processors ${largest})
    if(largest GREATER 2)
      set(processors 2)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "unit;${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT}
                         PROCESSORS ${processors} ENVIRONMENT "${CAIRN_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# More ranks than cores: of Open MPI, the ranks yield when they wait, and none is pinned.
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE launcher ERROR_QUIET)
set(more_ranks_than_cores)
if(launcher MATCHES "Open MPI|OpenRTE|PRRTE")
  set(more_ranks_than_cores --oversubscribe --bind-to none -q)
endif()
set(CAIRN_MPIEXEC ${MPIEXEC_EXECUTABLE} ${more_ranks_than_cores}
    CACHE STRING "The command that starts ranks; -n and the program follow")
# Of programs without the main function of tests: their libraries are unloaded, and only whole stacks tell leaks of MPI's.
set(CAIRN_WHOLE_STACKS ASAN_OPTIONS=fast_unwind_on_malloc=0:malloc_context_size=16)
set(CAIRN_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
    "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
