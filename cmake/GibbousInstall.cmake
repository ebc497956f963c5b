# What other programs find in an installation: headers, libraries, a CMake package and a pkg-config file, beside the
# command, the keeper and the scripts.
include(CMakePackageConfigHelpers)

install(DIRECTORY scripts policies DESTINATION "${CMAKE_INSTALL_DATADIR}/gibbous")
install(DIRECTORY runtime/include/gibbous bindings/include/gibbous DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES bindings/include/gibbous.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# Two sets, because a C program need not have what the static library links.
install(TARGETS gibbous_shared EXPORT GibbousC LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS gibbous_static EXPORT GibbousCpp ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")

# require 'gibbous' in LuaJIT and in Neovim, and Neovim's plugin.
foreach(place lua/5.1 nvim/site/lua)
  install(DIRECTORY bindings/module/lua/gibbous DESTINATION "${CMAKE_INSTALL_DATADIR}/${place}")
endforeach()
install(DIRECTORY bindings/nvim/plugin bindings/nvim/lua bindings/nvim/doc DESTINATION "${CMAKE_INSTALL_DATADIR}/nvim/site")

# find_package(Gibbous 0.2 COMPONENTS C Cpp): Gibbous::c and Gibbous::cpp.
set(gibbous_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Gibbous")
foreach(each C Cpp)
  install(EXPORT Gibbous${each} NAMESPACE Gibbous:: DESTINATION "${gibbous_cmake_dir}")
endforeach()
file(READ cmake/gibbous_place.cc.in gibbous_place_text)
configure_package_config_file(cmake/GibbousConfig.cmake.in "${PROJECT_BINARY_DIR}/GibbousConfig.cmake"
  INSTALL_DESTINATION "${gibbous_cmake_dir}" PATH_VARS CMAKE_INSTALL_BINDIR)
# 0.x: a change of the second number may break programs.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/GibbousConfigVersion.cmake"
  VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/GibbousConfig.cmake" "${PROJECT_BINARY_DIR}/GibbousConfigVersion.cmake"
  cmake/gibbousConfig.cmake DESTINATION "${gibbous_cmake_dir}")

# Relative to the file itself, so that the prefix can be moved.
file(RELATIVE_PATH gibbous_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/gibbous.pc.in "${PROJECT_BINARY_DIR}/gibbous.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/gibbous.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
