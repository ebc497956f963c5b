// Files of the source tree, for tests that compare pages with code.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace gibbous::testing {

// Returns where a file or folder of the tree is.
inline std::string source_path(const std::string& path) {
  const char* root = std::getenv("GIBBOUS_SOURCE_DIR");
  return std::string(root == nullptr ? "." : root) + "/" + path;
}

// Returns the text of a file, by its path in the tree; "" if there is none.
inline std::string source_text(const std::string& path) {
  std::ifstream file(source_path(path));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace gibbous::testing
