#include "runtime/base/path_text.h"

#include <algorithm>
#include <vector>

namespace gibbous {

std::string normalize_path(std::string_view absolute) {
  if (absolute.empty()) return "";
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
