// Files that are in memory: those that a host gives, and those that ship, which are compiled into
// the library, also as bytecode. Their paths begin with a place in angle brackets, and no file of
// the disk is read for one. Plain data; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gibbous::lua {

inline constexpr std::string_view kHostPlace = "<host>";
inline constexpr std::string_view kBuiltInPlace = "<built-in>";

// By path: "<host>/scripts/init.lua". The maker of the map owns the bytes.
using MemoryFiles = std::map<std::string, std::string_view, std::less<>>;

// Bytecode by the text from which the running LuaJIT would make it; see load_compiled().
using CompiledTexts = std::unordered_map<std::string_view, std::string_view>;

inline bool is_in_memory(std::string_view path) {
  return path.starts_with('<');
}

}  // namespace gibbous::lua
