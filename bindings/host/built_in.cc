#include "bindings/host/built_in.h"

#include <cstddef>

#include "bindings/lua/vm/state.h"

// Made by cmake/GibbousBuiltIn.cmake; the last entry has no name.
struct GibbousBuiltIn {
  const char* name;
  const char* text;
  std::size_t text_size;
  const char* code;
  std::size_t code_size;
};
extern "C" const GibbousBuiltIn gibbous_built_in[];
extern "C" const char gibbous_built_in_by[];  // the version of LuaJIT

namespace gibbous::host {

const lua::MemoryFiles& built_in_files() {
  static const lua::MemoryFiles files = [] {
    lua::MemoryFiles made;
    for (const GibbousBuiltIn* file = gibbous_built_in; file->name != nullptr; ++file) {
      // They are sorted: each comes after the last.
      made.emplace_hint(made.end(), std::string(lua::kBuiltInPlace) + "/" + file->name,
                        std::string_view(file->text, file->text_size));
    }
    return made;
  }();
  return files;
}

const lua::CompiledTexts& built_in_code() {
  static const lua::CompiledTexts code = [] {
    lua::CompiledTexts made;
    if (lua::luajit_version() != gibbous_built_in_by) return made;
    for (const GibbousBuiltIn* file = gibbous_built_in; file->name != nullptr; ++file) {
      made.emplace(std::string_view(file->text, file->text_size),
                   std::string_view(file->code, file->code_size));
    }
    return made;
  }();
  return code;
}

}  // namespace gibbous::host
