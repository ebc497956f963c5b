# Compiler settings, third-party packages, and gibbous_library(): one folder, one static library.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# What the libraries link, which a program with the static one must link, too.
pkg_check_modules(LUAJIT REQUIRED IMPORTED_TARGET luajit)
pkg_check_modules(LIBUV REQUIRED IMPORTED_TARGET libuv)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.37)
pkg_check_modules(VTERM REQUIRED IMPORTED_TARGET vterm>=0.1.4)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8)
set(gibbous_packages LUAJIT LIBUV RE2 SECCOMP SQLITE VTERM XXHASH)

# gibbous_link_archives(PROGRAM): the released program has the packages' archives inside, where there are some. Finding
# and relocating a dozen libraries takes longer than judging a command. Not libseccomp, whose licence is the LGPL.
function(gibbous_link_archives program)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR GIBBOUS_SANITIZE)
    return()
  endif()
  set_target_properties(${program} PROPERTIES GIBBOUS_ARCHIVES ON)
  target_link_options(${program} PRIVATE -static-libstdc++ -static-libgcc)
endfunction()
foreach(package LUAJIT LIBUV RE2 SQLITE VTERM XXHASH)
  list(GET ${package}_LINK_LIBRARIES 0 shared)
  string(REGEX REPLACE "\\.so$" ".a" archive "${shared}")
  if(NOT EXISTS "${archive}")
    string(REGEX REPLACE "\\.a$" "_a.a" archive "${archive}")  # libuv's own name for it
  endif()
  if(EXISTS "${archive}")
    get_target_property(others PkgConfig::${package} INTERFACE_LINK_LIBRARIES)
    list(REMOVE_ITEM others "${shared}")
    set_target_properties(PkgConfig::${package} PROPERTIES INTERFACE_LINK_LIBRARIES
      "$<IF:$<BOOL:$<TARGET_PROPERTY:GIBBOUS_ARCHIVES>>,${archive};m,${shared}>;${others}")
  endif()
endforeach()
# The package has no description of its own in Debian 12.
find_path(GIBBOUS_MBEDTLS_INCLUDE mbedtls/ssl.h REQUIRED)
add_library(gibbous_mbedcrypto INTERFACE)
add_library(gibbous_mbedtls INTERFACE)
target_include_directories(gibbous_mbedcrypto SYSTEM INTERFACE "${GIBBOUS_MBEDTLS_INCLUDE}")
foreach(part mbedtls mbedx509 mbedcrypto)
  find_library(GIBBOUS_${part} ${part} REQUIRED)
  find_library(GIBBOUS_${part}_ARCHIVE lib${part}.a)
  set(library "${GIBBOUS_${part}}")
  if(GIBBOUS_${part}_ARCHIVE)
    set(library "$<IF:$<BOOL:$<TARGET_PROPERTY:GIBBOUS_ARCHIVES>>,${GIBBOUS_${part}_ARCHIVE},${library}>")
  endif()
  if(part STREQUAL "mbedcrypto")
    target_link_libraries(gibbous_mbedcrypto INTERFACE "${library}")
  else()
    target_link_libraries(gibbous_mbedtls INTERFACE "${library}")
  endif()
endforeach()
target_link_libraries(gibbous_mbedtls INTERFACE gibbous_mbedcrypto)
find_package(nlohmann_json 3.11 REQUIRED)
if(NOT nlohmann_json_VERSION MATCHES "^3\\.11\\.")
  message(FATAL_ERROR "nlohmann_json: expected version 3.11, whose inner names bindings/json/compiled_once.h "
    "lists, got ${nlohmann_json_VERSION}")
endif()
if(GIBBOUS_CLI)
  find_package(CLI11 2.1 REQUIRED)
  # The package has no description of its own. Inside the released program, as the others are.
  find_path(GIBBOUS_HTTP_PARSER_INCLUDE http_parser.h REQUIRED)
  find_library(GIBBOUS_HTTP_PARSER http_parser REQUIRED)
  find_library(GIBBOUS_HTTP_PARSER_ARCHIVE libhttp_parser.a)
  add_library(gibbous_http_parser INTERFACE)
  target_include_directories(gibbous_http_parser SYSTEM INTERFACE "${GIBBOUS_HTTP_PARSER_INCLUDE}")
  if(GIBBOUS_HTTP_PARSER_ARCHIVE)
    target_link_libraries(gibbous_http_parser INTERFACE
      "$<IF:$<BOOL:$<TARGET_PROPERTY:GIBBOUS_ARCHIVES>>,${GIBBOUS_HTTP_PARSER_ARCHIVE},${GIBBOUS_HTTP_PARSER}>")
  else()
    target_link_libraries(gibbous_http_parser INTERFACE "${GIBBOUS_HTTP_PARSER}")
  endif()
endif()

find_program(GIBBOUS_CCACHE ccache)
if(GIBBOUS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros "${GIBBOUS_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${GIBBOUS_CCACHE}")
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Or a precompiled header of the cache would not fit the files of another clone, which have other times.
  list(APPEND CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -fno-pch-timestamp)
endif()
find_program(GIBBOUS_MOLD mold)
if(GIBBOUS_MOLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_link_options(-fuse-ld=mold)
endif()

add_library(gibbous_flags INTERFACE)
target_compile_options(gibbous_flags INTERFACE
  -pthread -Wall -Wextra $<$<COMPILE_LANGUAGE:CXX>:-Wconversion> -Wno-missing-field-initializers
  # Clang counts signs among the conversions, in which GCC's C++ does not.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wno-sign-conversion>
  $<$<BOOL:${GIBBOUS_WERROR}>:-Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # These versions warn of impossible sizes inside std::string once they optimise (GCC bug 105651).
  target_compile_options(gibbous_flags INTERFACE
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
endif()
# CMake's default is -O3, which takes a fifth longer to compile and is measurably quicker only where watchers search
# blocks of output (runtime/watch says so itself).
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "" FORCE)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND PROJECT_IS_TOP_LEVEL)
  # -g1 keeps line numbers for sanitizers and debuggers at half the build time of -g.
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "" FORCE)
endif()
if(GIBBOUS_SANITIZE)
  # Optimising what the sanitizers insert takes three times as long as compiling it.
  set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1" CACHE STRING "" FORCE)
  add_compile_options(-fsanitize=${GIBBOUS_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GIBBOUS_SANITIZE})
  # For tests that measure time or memory: clang has no macro of its own for it.
  add_compile_definitions(GIBBOUS_SANITIZED)
  if(GIBBOUS_SANITIZE MATCHES "undefined")
    # What the address sanitizer finds as well (null), what finds nothing without optimising (object-size), and
    # what the fuzzers of all parsers look for (alignment): their tables are four fifths of a program's data, which
    # each start of it has to relocate, and a fifth of the time to compile. The check of types (vptr) opens a pipe to
    # see whether memory may be read, and takes every object for a bad one where tests leave no descriptor for it; the
    # fuzzers have it as well.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()

if(GIBBOUS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

# Parsing headers takes most of a build from nothing, so these builds compile several sources as one. Not the dev
# preset: there a change should compile one file. No two sources of a library define the same name.
option(GIBBOUS_UNITY "Compile several sources as one" OFF)
set(GIBBOUS_UNITY_BATCH 24 CACHE STRING "Sources compiled as one")
set(GIBBOUS_TEST_BATCH 8 CACHE STRING "Test files compiled as one")

function(gibbous_unity target)
  if(GIBBOUS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${GIBBOUS_UNITY_BATCH})
  endif()
endfunction()

# gibbous_library(NAME LIBS... [ROOMS folders] [EXCLUDE sources] [PCH headers | the library whose precompiled headers it
# uses]): the sources of the current folder, or of the folders below it that ROOMS names, as libgibbous_NAME.a.
function(gibbous_library name)
  cmake_parse_arguments(arg "" "" "LIBS;PCH;EXCLUDE;ROOMS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  foreach(room IN LISTS arg_ROOMS)
    file(GLOB room_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cc")
    list(APPEND sources ${room_sources})
  endforeach()
  foreach(file IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  add_library(gibbous_${name} STATIC ${sources})
  gibbous_unity(gibbous_${name})
  if(GIBBOUS_SANITIZE AND name MATCHES "^(command|output|rules|watch)$")
    # Its tests compute for longer than it takes to compile. A precompiled header would have to be optimised, too.
    target_compile_options(gibbous_${name} PRIVATE -O1)
    set(arg_PCH)
  endif()
  target_include_directories(gibbous_${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>"
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/bindings/include>")
  target_link_libraries(gibbous_${name} PRIVATE gibbous_flags PUBLIC ${arg_LIBS})
  if(arg_PCH MATCHES "^gibbous_")
    target_precompile_headers(gibbous_${name} REUSE_FROM ${arg_PCH})
  elseif(arg_PCH)
    target_precompile_headers(gibbous_${name} PRIVATE ${arg_PCH})
  endif()
endfunction()
