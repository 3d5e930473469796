# cmake -P: installs the build into a folder of its own, builds the project beside this file against it and runs it.
# Expects BUILD, CONFIGURATION, GENERATOR, COMPILER, LAUNCHER (the command that starts ranks), DATA and WORK (folders).
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
    -DCMAKE_BUILD_TYPE=${CONFIGURATION} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run("build it" ${CMAKE_COMMAND} --build ${WORK}/build)
run("run it on 2 ranks" ${LAUNCHER} -n 2 ${WORK}/build/spectrum)
message(STATUS "${output}")
run("run the first program on 2 ranks" ${LAUNCHER} -n 2 ${WORK}/build/first_program ${DATA})
if(NOT output MATCHES "^0[.][0-9]+ 0[.]0[0-9]+ 20000\n")
  message(FATAL_ERROR "the first program printed: ${output}")
endif()
run("cairn info letter.h5" ${WORK}/prefix/bin/cairn info letter.h5)
run("cairn --version" ${WORK}/prefix/bin/cairn --version)
run("cairn-plot --help" ${WORK}/prefix/bin/cairn-plot --help)
