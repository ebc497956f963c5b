// The statements of a TOML file with their places: which table begins where, and which keys are
// set. Values are skipped, not read. Pure, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::cli {

struct TomlStatement {
  enum class Kind { kTable, kTableOfArray, kKey };
  Kind kind = Kind::kKey;
  std::vector<std::string> path;  // of a key, as it stands: relative to its table
  std::size_t begin = 0;
  std::size_t end = 0;  // behind its last line
};

// Nothing when the text is not understood.
std::optional<std::vector<TomlStatement>> toml_statements(std::string_view text);

}  // namespace gibbous::cli
