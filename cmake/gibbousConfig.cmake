# For programs that embed Gibbous: find_package(gibbous), then link gibbous::gibbous_host.
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
find_dependency(Threads)
find_dependency(nlohmann_json)
pkg_check_modules(LUAJIT REQUIRED IMPORTED_TARGET luajit)
pkg_check_modules(LIBUV REQUIRED IMPORTED_TARGET libuv)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
include("${CMAKE_CURRENT_LIST_DIR}/gibbousTargets.cmake")
