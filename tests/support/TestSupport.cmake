# What test programs of the sanitized tree and of the release share: Catch2's main, tests/support and the fixtures.
set(support "${PROJECT_SOURCE_DIR}/tests/support")
find_package(Catch2 REQUIRED)
if(Catch2_VERSION VERSION_LESS 3)
  add_library(gibbous_catch_main STATIC "${support}/catch_main.cc")
  target_compile_options(gibbous_catch_main PRIVATE -O0 -fno-sanitize=all)  # none of it is ours
  target_include_directories(gibbous_catch_main PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(gibbous_catch_main PUBLIC Catch2::Catch2)
  target_compile_definitions(gibbous_catch_main PUBLIC GIBBOUS_CATCH2=2 CATCH_CONFIG_FAST_COMPILE)
  # Discovery cannot pass on every name (a ';' splits it). A name that finds no test must fail; later
  # versions of Catch2 see to that themselves.
  set(catch_arguments EXTRA_ARGS --warn NoTests)
else()
  add_library(gibbous_catch_main INTERFACE)
  target_link_libraries(gibbous_catch_main INTERFACE Catch2::Catch2WithMain)
  target_compile_definitions(gibbous_catch_main INTERFACE GIBBOUS_CATCH2=3)
endif()

# What tests share.
file(GLOB support_sources CONFIGURE_DEPENDS "${support}/*.cc")
list(REMOVE_ITEM support_sources "${support}/catch_main.cc"
  "${support}/host.cc")
add_library(gibbous_test_support STATIC ${support_sources})
target_include_directories(gibbous_test_support PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(gibbous_test_support PRIVATE gibbous_flags PUBLIC
  PkgConfig::LIBUV gibbous_json)

# What tests of the facade and of front ends share on top.
add_library(gibbous_test_host STATIC "${support}/host.cc")
target_link_libraries(gibbous_test_host PRIVATE gibbous_flags PUBLIC gibbous_test_support gibbous_host)

add_custom_target(gibbous_fixtures)
file(GLOB fixtures CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fixtures/*.cc")
foreach(source IN LISTS fixtures)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(fixture_${name} "${source}")
  target_include_directories(fixture_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(fixture_${name} PRIVATE gibbous_flags Threads::Threads)
  # Fixtures stand for arbitrary programs: they fork in threads, forbid themselves system calls and
  # count their bytes, and a sanitizer's runtime would interfere with that.
  target_compile_options(fixture_${name} PRIVATE -fno-sanitize=all)
  target_link_options(fixture_${name} PRIVATE -fno-sanitize=all)
  add_dependencies(gibbous_fixtures fixture_${name})
endforeach()
