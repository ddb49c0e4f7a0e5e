# The extension module gatewise_implementations._reference: cffi in API mode over the static library. Its
# declarations are the public header itself, preprocessed, so the two cannot drift apart.
cmake_minimum_required(VERSION 3.26...4.2) # for Development.SABIModule
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.SABIModule)

set(HEADER ${CMAKE_CURRENT_SOURCE_DIR}/include/gatewise.h)
set(DECLARATIONS ${CMAKE_CURRENT_BINARY_DIR}/declarations.h)
set(PRELUDE ${CMAKE_CURRENT_BINARY_DIR}/prelude.h)
set(BINDING ${CMAKE_CURRENT_BINARY_DIR}/_reference.c)

file(CONFIGURE OUTPUT ${PRELUDE} CONTENT "#include \"gatewise.h\"\n")
add_custom_command(
  OUTPUT ${DECLARATIONS}
  COMMAND ${CMAKE_C_COMPILER} -E -P -DGW_CDEF ${HEADER} -o ${DECLARATIONS}
  DEPENDS ${HEADER}
  VERBATIM)
add_custom_command(
  OUTPUT ${BINDING}
  COMMAND ${Python_EXECUTABLE} -m cffi.gen_src read-sources gatewise_implementations._reference
          ${DECLARATIONS} ${PRELUDE} ${BINDING}
  DEPENDS ${DECLARATIONS} ${PRELUDE}
  VERBATIM)

python_add_library(_reference MODULE WITH_SOABI USE_SABI 3.11 ${BINDING})
target_link_libraries(_reference PRIVATE gatewise_reference)
install(TARGETS _reference LIBRARY DESTINATION gatewise_implementations)
