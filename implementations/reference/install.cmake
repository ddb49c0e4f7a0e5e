# The C library for other projects: find_package(gatewise_reference), or pkg-config gatewise_reference.
include(CMakePackageConfigHelpers)

set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/gatewise_reference)
install(TARGETS gatewise_reference EXPORT gatewise_reference
  PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT gatewise_reference NAMESPACE gatewise_reference:: DESTINATION ${PACKAGE_FOLDER}
  FILE gatewise_reference-targets.cmake)
configure_package_config_file(package/gatewise_reference-config.cmake.in gatewise_reference-config.cmake
  INSTALL_DESTINATION ${PACKAGE_FOLDER})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(gatewise_reference-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(package/gatewise_reference.pc.in gatewise_reference.pc @ONLY)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/gatewise_reference-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/gatewise_reference-config-version.cmake
  DESTINATION ${PACKAGE_FOLDER})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gatewise_reference.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
