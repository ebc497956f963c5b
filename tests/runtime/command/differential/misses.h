// misses.txt: lines that the analyser once missed, one a line, written as $'...' would hold them;
// "dash: ", "busybox: " or "posix: " in front for another shell than bash, # for comments.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "tests/runtime/command/differential/confinement.h"

namespace gibbous::command::testing {

struct Miss {
  std::string line;
  std::string shell = "bash";
};

inline std::string as_written(const std::string& line) {
  std::string made;
  for (const char each : line) {
    if (each == '\n') {
      made += "\\n";
    } else if (each == '\t') {
      made += "\\t";
    } else if (each == '\r') {
      made += "\\r";
    } else if (each == '\\') {
      made += "\\\\";
    } else {
      made += each;
    }
  }
  return made;
}

inline std::string as_read(const std::string& written) {
  std::string made;
  for (std::size_t at = 0; at < written.size(); ++at) {
    if (written[at] != '\\' || at + 1 == written.size()) {
      made += written[at];
      continue;
    }
    const char kind = written[++at];
    made += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
  }
  return made;
}

inline std::vector<Miss> misses_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<Miss> all;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    Miss miss;
    for (const char* shell : kShells) {
      const std::string mark = std::string(shell) + ": ";
      if (text.rfind(mark, 0) != 0) continue;
      miss.shell = shell;
      text.erase(0, mark.size());
      break;
    }
    miss.line = as_read(text);
    all.push_back(std::move(miss));
  }
  return all;
}

}  // namespace gibbous::command::testing
