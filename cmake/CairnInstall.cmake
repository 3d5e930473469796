# cmake --install: the libraries with their headers, the programs, and what find_package(cairn) needs.
include(CMakePackageConfigHelpers)

get_property(cairn_libraries GLOBAL PROPERTY cairn_libraries)
list(TRANSFORM cairn_libraries REPLACE "^cairn_" "" OUTPUT_VARIABLE cairn_folders)
install(TARGETS ${cairn_libraries} EXPORT cairn-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The headers of the interface and those that they include, found when they are installed.
install(CODE "
  cmake_policy(SET CMP0057 NEW)
  set(waiting cairn/run/session.hpp cairn/run/transport/transport_files.hpp cairn/run/distances/path_table.hpp)
  set(reached)
  while(waiting)
    list(POP_FRONT waiting header)
    list(APPEND reached \${header})
    file(STRINGS \"${PROJECT_SOURCE_DIR}/src/\${header}\" lines REGEX \"^#include \\\"cairn/\")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE \"^#include \\\"([^\\\"]+)\\\".*\" \"\\\\1\" next \"\${line}\")
      if(NOT next IN_LIST reached AND NOT next IN_LIST waiting)
        list(APPEND waiting \${next})
      endif()
    endforeach()
  endwhile()
  foreach(header IN LISTS reached)
    get_filename_component(folder \${header} DIRECTORY)
    file(INSTALL \"${PROJECT_SOURCE_DIR}/src/\${header}\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/\${folder}\")
  endforeach()
")

set(cairn_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
install(EXPORT cairn-targets NAMESPACE cairn:: DESTINATION ${cairn_package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/cairnConfig.cmake
                              INSTALL_DESTINATION ${cairn_package_folder})
# Before 1.0 another minor version may have other interfaces.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/FindCHOLMOD.cmake ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake
        DESTINATION ${cairn_package_folder})

install(TARGETS cairn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The program prints its manual page and its completion itself, on one rank whoever started the installation.
set(cairn_help ${PROJECT_BINARY_DIR}/help)
install(CODE "
  file(MAKE_DIRECTORY \"${cairn_help}\")
  set(print \"${CMAKE_COMMAND}\" -E env --unset=OMPI_COMM_WORLD_SIZE --unset=PMI_SIZE --unset=SLURM_STEP_NUM_TASKS
      \"$<TARGET_FILE:cairn>\" help)
  execute_process(COMMAND \${print} --man OUTPUT_FILE \"${cairn_help}/cairn.1\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \${print} --completion bash OUTPUT_FILE \"${cairn_help}/cairn\" COMMAND_ERROR_IS_FATAL ANY)
")
install(FILES ${cairn_help}/cairn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${cairn_help}/cairn DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/apps/plot/cairn-plot DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/apps/plot/cairn_plot DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn
        FILES_MATCHING PATTERN *.py)
install(FILES ${PROJECT_SOURCE_DIR}/slurm/approximate.sbatch ${PROJECT_SOURCE_DIR}/slurm/sweep.sbatch
        ${PROJECT_SOURCE_DIR}/slurm/scaling.sbatch ${PROJECT_SOURCE_DIR}/slurm/command.sbatch ${PROJECT_SOURCE_DIR}/slurm/ranks.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn/slurm)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/slurm/scaling-table DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn/slurm)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
