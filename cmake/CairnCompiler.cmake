# Compile options that all of Cairn shares, as the target cairn_options.
add_library(cairn_options INTERFACE)
# GCC 12 sees overlapping copies in every text + std::string (its bug 105651), and overflows in inlined ones, which it
# no longer takes for code of the system if the headers are precompiled.
target_compile_options(cairn_options INTERFACE -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual
                       "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")
# Where sources are compiled together, a local name may be one of another source's unnamed namespace; and to GCC a source
# that another includes is a header, in whose unnamed namespace no type should be.
set(together "$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>")
target_compile_options(cairn_options INTERFACE "$<$<NOT:${together}>:-Wshadow>"
                       "$<$<AND:${together},$<CXX_COMPILER_ID:GNU>>:-Wshadow=local;-Wno-subobject-linkage>")
# Clang says where it does not vectorize a loop, and that GCC 12's library uses what that library calls deprecated.
target_compile_options(cairn_options INTERFACE
                       "$<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed;-Wno-deprecated-declarations>")
if(CAIRN_WARNINGS_AS_ERRORS)
  target_compile_options(cairn_options INTERFACE -Werror)
endif()
if(CAIRN_NATIVE)
  target_compile_options(cairn_options INTERFACE -march=native)
endif()
# The standard library checks subscripts and what else its functions require.
target_compile_definitions(cairn_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(CAIRN_ODR)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "CAIRN_ODR needs GCC: its linker tells what is defined twice")
  endif()
  # Objects that hold both code and what is read at link time: programs are linked as ever, and cairn_check_odr reads it.
  target_compile_options(cairn_options INTERFACE -flto -ffat-lto-objects)
  target_link_options(cairn_options INTERFACE -fno-lto)
endif()
if(CAIRN_SANITIZE)
  target_compile_options(cairn_options INTERFACE -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  target_compile_definitions(cairn_options INTERFACE CAIRN_SANITIZED _GLIBCXX_ASSERTIONS)
  if(CAIRN_SANITIZE MATCHES "address")  # which finds what these two are for; they are a quarter of the time to compile
    target_compile_options(cairn_options INTERFACE -fno-sanitize=object-size,null)
  endif()
  target_link_options(cairn_options INTERFACE -fsanitize=${CAIRN_SANITIZE})
endif()

# cairn_fuzzed(<target>): with CAIRN_FUZZ libFuzzer learns which lines of it an input reaches. (As -fsanitize=fuzzer-no-link,
# with which Clang would refuse the precompiled headers of libraries without.)
if(CAIRN_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "CAIRN_FUZZ needs Clang and its libFuzzer: scripts/install-packages sanitize; -DCMAKE_CXX_COMPILER=...")
endif()
function(cairn_fuzzed target)
  if(CAIRN_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
  endif()
endfunction()

# GCC collects garbage less often: 7 to 9 % less time for a fifth more memory (three units).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(cairn_options INTERFACE --param=ggc-min-heapsize=1000000)  # kB
endif()

# The fastest linker that is there: lld, or gold, which Debian's binutils has. Gold warns of what Clang's sanitizers export,
# and lld does not read what GCC writes for optimization at link time.
set(linkers lld gold)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(linkers lld)
elseif(CMAKE_CXX_FLAGS MATCHES "-flto")
  set(linkers gold)
endif()
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld" AND NOT CMAKE_CXX_FLAGS MATCHES "-fuse-ld")
  include(CheckLinkerFlag)
  foreach(linker IN LISTS linkers)
    check_linker_flag(CXX -fuse-ld=${linker} CAIRN_HAVE_${linker})
    if(CAIRN_HAVE_${linker})
      target_link_options(cairn_options INTERFACE -fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()

# cairn_check_odr(<program> <library>...): with CAIRN_ODR the program is not built where a class or a function of the
# libraries has two definitions. What the compiler left for the optimization at link time is read, and no program made of it.
function(cairn_check_odr program)
  if(CAIRN_ODR)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
    add_custom_command(TARGET ${program} POST_BUILD VERBATIM
      COMMAND ${CMAKE_CXX_COMPILER} -r -fuse-ld=bfd -flto=auto -Wodr -Werror=odr -o ${program}_odr.o
              -Wl,--whole-archive ${archives} -Wl,--no-whole-archive
      COMMAND ${CMAKE_COMMAND} -E rm ${program}_odr.o)
  endif()
endfunction()
