# The library that users link, and the installed package.
# It is one library, static or shared, with the objects of every layer but those of the program.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

add_library(softwood_lib)
add_library(Softwood::softwood ALIAS softwood_lib)
set_target_properties(softwood_lib PROPERTIES OUTPUT_NAME softwood EXPORT_NAME softwood
                                              LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                                              SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(layer IN LISTS SOFTWOOD_LAYERS)
  get_target_property(type softwood_${layer} TYPE)
  if(type STREQUAL "STATIC_LIBRARY" AND NOT layer IN_LIST SOFTWOOD_PROGRAM_LAYERS)
    target_sources(softwood_lib PRIVATE $<TARGET_OBJECTS:softwood_${layer}>)
  endif()
endforeach()
target_compile_features(softwood_lib PUBLIC cxx_std_20)
target_include_directories(softwood_lib PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Only what must be linked; header-only libraries are compiled in already.
# SoftwoodConfig.cmake.in finds the same ones.
target_link_libraries(softwood_lib PRIVATE fmt::fmt TBB::tbb ZLIB::ZLIB)

if(SOFTWOOD_PROGRAM)
  install(TARGETS softwood)
endif()
install(TARGETS softwood_lib EXPORT SoftwoodTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/softwood TYPE INCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Softwood)
install(EXPORT SoftwoodTargets NAMESPACE Softwood:: DESTINATION ${package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/SoftwoodConfig.cmake.in ${PROJECT_BINARY_DIR}/SoftwoodConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SoftwoodConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SoftwoodConfig.cmake
              ${PROJECT_BINARY_DIR}/SoftwoodConfigVersion.cmake
        DESTINATION ${package_dir})
