# gibbous_built_in(TARGET): compiles the scripts and policies that ship into the target, as the table gibbous_built_in of
# bindings/host/built_in.cc: each as text, and as the bytecode of the LuaJIT that is named in front of the table. The
# assembler takes the files as they are.
function(gibbous_built_in target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
    "${PROJECT_SOURCE_DIR}/scripts/*.lua" "${PROJECT_SOURCE_DIR}/policies/*.lua")
  list(FILTER files EXCLUDE REGEX "^scripts/meta/")
  find_program(GIBBOUS_LUAJIT luajit REQUIRED)
  execute_process(COMMAND "${GIBBOUS_LUAJIT}" -e "io.write(jit.version)" OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  set(compiled "${CMAKE_CURRENT_BINARY_DIR}/compiled")
  file(MAKE_DIRECTORY "${compiled}")
  set(table "")
  set(bytes "")
  set(texts "")
  set(codes "")
  set(number 0)
  foreach(file IN LISTS files)
    string(REPLACE "/" "." name "${file}")
    set(code "${compiled}/${name}")
    string(APPEND table "  \".quad .Lgibbous_name${number}, .Lgibbous_text${number}, .Lgibbous_code${number} - "
      ".Lgibbous_text${number}, .Lgibbous_code${number}, .Lgibbous_end${number} - .Lgibbous_code${number}\\n\"\n")
    string(APPEND bytes "  \".Lgibbous_name${number}: .asciz \\\"${file}\\\"\\n\"\n"
      "  \".Lgibbous_text${number}: .incbin \\\"${PROJECT_SOURCE_DIR}/${file}\\\"\\n\"\n"
      "  \".Lgibbous_code${number}: .incbin \\\"${code}\\\"\\n.Lgibbous_end${number}:\\n\"\n")
    list(APPEND texts "${PROJECT_SOURCE_DIR}/${file}")
    list(APPEND codes "${code}")
    math(EXPR number "${number} + 1")
  endforeach()
  set(compiler "${PROJECT_SOURCE_DIR}/cmake/compile_scripts.lua")
  add_custom_command(OUTPUT ${codes} DEPENDS ${texts} "${compiler}" VERBATIM COMMENT "Compiling scripts and policies"
    COMMAND "${GIBBOUS_LUAJIT}" "${compiler}" "${PROJECT_SOURCE_DIR}" "${compiled}" ${files})
  set(made "${CMAKE_CURRENT_BINARY_DIR}/built_in_files.cc")
  file(CONFIGURE OUTPUT "${made}" @ONLY CONTENT
"// Made by cmake/GibbousBuiltIn.cmake.
asm(
  \".pushsection .data.rel.ro.gibbous, \\\"aw\\\"\\n.balign 8\\n\"
  \".globl gibbous_built_in\\n.hidden gibbous_built_in\\ngibbous_built_in:\\n\"
${table}  \".quad 0, 0, 0, 0, 0\\n.popsection\\n\"
  \".pushsection .rodata\\n\"
  \".globl gibbous_built_in_by\\n.hidden gibbous_built_in_by\\ngibbous_built_in_by: .asciz \\\"${version}\\\"\\n\"
${bytes}  \".popsection\\n\");
")
  target_sources(${target} PRIVATE "${made}")
  set_source_files_properties("${made}" PROPERTIES
    OBJECT_DEPENDS "${texts};${codes}" SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# gibbous_built_in_keeper(TARGET): compiles the keeper program into the target, for runtime/keeper/keeper_program.cc. With
# sanitizers, which make it many times as large, none is built in.
function(gibbous_built_in_keeper target)
  set(made "${CMAKE_CURRENT_BINARY_DIR}/built_in_keeper.cc")
  set(bytes "")
  set(depends "")
  if(NOT GIBBOUS_SANITIZE)
    set(stripped "${CMAKE_CURRENT_BINARY_DIR}/gibbous-keeper.stripped")
    add_custom_command(OUTPUT "${stripped}" DEPENDS gibbous-keeper VERBATIM
      COMMAND "${CMAKE_STRIP}" -o "${stripped}" "$<TARGET_FILE:gibbous-keeper>")
    set(bytes "  \".incbin \\\"${stripped}\\\"\\n\"\n")
    set(depends "${stripped}")
  endif()
  file(CONFIGURE OUTPUT "${made}" @ONLY CONTENT
"// Made by cmake/GibbousBuiltIn.cmake.
asm(
  \".pushsection .rodata\\n.balign 16\\n\"
  \".globl gibbous_built_in_keeper\\n.hidden gibbous_built_in_keeper\\ngibbous_built_in_keeper:\\n\"
${bytes}  \".globl gibbous_built_in_keeper_end\\n.hidden gibbous_built_in_keeper_end\\ngibbous_built_in_keeper_end:\\n\"
  \".byte 0\\n.popsection\\n\");
")
  target_sources(${target} PRIVATE "${made}")
  set_source_files_properties("${made}" PROPERTIES
    OBJECT_DEPENDS "${depends}" SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
