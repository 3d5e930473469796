# cmake -P: installs the build into a folder of its own, builds the project beside this file against it and runs it.
# Expects BUILD, CONFIGURATION, GENERATOR, COMPILER, LAUNCHER (the command that starts ranks), DATA and WORK (folders), PYTHON.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${output}")
  endif()
  message(STATUS "${what}: done")
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run("configure a project that finds it" ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=${CONFIGURATION} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_EXE_LINKER_FLAGS=-fno-lto)  # of a build with CAIRN_ODR, whose objects hold code, too, the linker takes that
run("build it" ${CMAKE_COMMAND} --build ${WORK}/build)
run("run five ways on 2 ranks" ${LAUNCHER} -n 2 ${WORK}/build/new_ways ${DATA})
if(NOT output MATCHES "^1 0[.][0-9]+ 0[.][0-9]+ 0[.]0[0-9]+ 0[.][0-9]+\n")
  message(FATAL_ERROR "the five ways printed: ${output}")
endif()
run("run the first program on 2 ranks" ${LAUNCHER} -n 2 ${WORK}/build/first_program ${DATA})
if(NOT output MATCHES "^0[.][0-9]+ 0[.]0[0-9]+ 20000\n")
  message(FATAL_ERROR "the first program printed: ${output}")
endif()
if(EXISTS ${WORK}/prefix/include/cairn/similarity/points/gram_similarity.hpp OR
   NOT EXISTS ${WORK}/prefix/include/cairn/run/session.hpp)
  message(FATAL_ERROR "other headers were installed than those of run/session.hpp")
endif()
run("cairn info letter.h5" ${WORK}/prefix/bin/cairn info letter.h5)
run("cairn --version" ${WORK}/prefix/bin/cairn --version)
file(READ ${WORK}/prefix/share/man/man1/cairn.1 page)
if(NOT page MATCHES "^[.]TH CAIRN 1 .*landmarks[.]count")
  message(FATAL_ERROR "share/man/man1/cairn.1 is no manual page")
endif()
run("completion" bash -c ". '${WORK}/prefix/share/bash-completion/completions/cairn' && COMP_CWORD=2 && \
COMP_WORDS=(cairn approximate --landmarks.cou) && _cairn && echo \"\${COMPREPLY[@]}\"")
if(NOT output STREQUAL "--landmarks.count\n")
  message(FATAL_ERROR "completed was: ${output}")
endif()
run("cairn-plot --help" ${WORK}/prefix/bin/cairn-plot --help)
file(GLOB module ${WORK}/prefix/lib/python3*/*-packages/cairn/_cairn*)
if(module)  # built where pybind11 and mpi4py are
  get_filename_component(packages ${module} DIRECTORY)
  get_filename_component(packages ${packages} DIRECTORY)
  run("import cairn" ${CMAKE_COMMAND} -E env PYTHONPATH=${packages} ${PYTHON} -c
      "print(len(__import__('cairn').load('letter.h5')))")
  if(NOT output MATCHES "^20000\n$")
    message(FATAL_ERROR "the Python package printed: ${output}")
  endif()
endif()
