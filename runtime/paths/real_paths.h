// RealPaths: real_path() for many questions at once, such as those about every place that a policy
// protects: where several are about one directory, that is listed once, and nothing is asked about
// what lies below a directory that is not there. It remembers what it saw, so it is for one burst
// of questions. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace gibbous::paths {

class RealPaths {
 public:
  // Returns real_path(absolute).
  std::string real(const std::string& absolute);

 private:
  struct Directory {
    int asked = 0;
    bool is_plain = false;  // it, and all above it, is no link, and what it holds is known
    bool lists_all = false;
    bool is_there = false;  // it may be
    bool is_missing = false;
    std::vector<std::string> links;
    std::vector<std::string> directories;  // links, too
  };
  Directory& ask(const std::string& path);
  bool is_missing(const std::string& path);
  static void look(const std::string& path, Directory* directory);

  std::unordered_map<std::string, Directory> directories_;
};

}  // namespace gibbous::paths
