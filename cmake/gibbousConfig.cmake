# The name of the package before 0.2: find_package(gibbous), then link gibbous::gibbous_host.
include("${CMAKE_CURRENT_LIST_DIR}/GibbousConfig.cmake")
if(NOT TARGET gibbous::gibbous_host)
  add_library(gibbous::gibbous_host ALIAS Gibbous::cpp)
endif()
