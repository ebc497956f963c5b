#include "runtime/base/path_text.h"

#include <algorithm>
#include <vector>

namespace gibbous {

namespace {

// Most paths are.
bool is_normal(std::string_view path) {
  if (path[0] != '/' || path.size() == 1) return path == "/";
  std::size_t begin = 1;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

std::string normalize_path(std::string_view absolute) {
  if (absolute.empty()) return "";
  if (is_normal(absolute)) return std::string(absolute);
  std::vector<std::string_view> kept;
  std::size_t at = 0;
  while (at < absolute.size()) {
    const std::size_t end = std::min(absolute.find('/', at), absolute.size());
    const std::string_view part = absolute.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!kept.empty()) kept.pop_back();
      continue;
    }
    kept.push_back(part);
  }
  std::string path;
  for (const std::string_view part : kept) {
    path += '/';
    path += part;
  }
  return path.empty() ? "/" : path;
}

}  // namespace gibbous
