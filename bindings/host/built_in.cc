#include "bindings/host/built_in.h"

#include <cstddef>

// Made by cmake/GibbousBuiltIn.cmake; the last entry has no name.
struct GibbousBuiltIn {
  const char* name;
  const char* bytes;
  std::size_t size;
};
extern "C" const GibbousBuiltIn gibbous_built_in[];

namespace gibbous::host {

const lua::MemoryFiles& built_in_files() {
  static const lua::MemoryFiles files = [] {
    lua::MemoryFiles made;
    for (const GibbousBuiltIn* file = gibbous_built_in; file->name != nullptr; ++file) {
      // They are sorted: each comes after the last.
      made.emplace_hint(made.end(), std::string(lua::kBuiltInPlace) + "/" + file->name,
                        std::string_view(file->bytes, file->size));
    }
    return made;
  }();
  return files;
}

}  // namespace gibbous::host
