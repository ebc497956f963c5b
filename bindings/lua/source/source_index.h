// SourceIndex finds the source lines of a policy. Lua tables do not know where they were written,
// but a rule's id, a case's command or a wrong word is in the files as a string literal. A file is
// searched when it is first needed. Made once for each load, used by the readers of policy tables.
// Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bindings/lua/source/source_file.h"

namespace gibbous::lua {

struct SourcePlace {
  std::string file;  // "" when unknown
  int line = 0;      // 0 when unknown
};

class SourceIndex {
 public:
  SourceIndex() = default;
  explicit SourceIndex(std::vector<SourceFile> files);

  // Returns where the string `text` is the value of the field `key` ("": any field). Among several
  // places: the first in `file` from the line `from` on, else the first in `file`; in other files
  // only a single one counts. `file` "" and line 0 when there is none.
  SourcePlace find(const std::string& text, const std::string& key, const std::string& file,
                   int from = 0) const;
  // The same for the name of a field: `name = ...`, ['name'] = ...
  SourcePlace find_key(const std::string& name, const std::string& file, int from = 0) const;

 private:
  struct Hit {
    int line;
    bool literal;
    std::string key;  // of a literal that is the value of a field
  };
  using Hits = std::unordered_map<std::string, std::vector<Hit>>;
  template <typename Fits>
  SourcePlace choose(const std::string& text, const std::string& file, int from, Fits fits) const;

  // Maps a text to its places, for one key.
  using Plain = std::unordered_map<std::string, std::vector<SourcePlace>>;
  const Plain& plain(const std::string& key) const;
  // Returns the hits of one file.
  const Hits& hits(std::size_t file) const;

  std::vector<SourceFile> files_;
  mutable std::vector<std::unique_ptr<const Hits>> hits_;  // null: not searched yet
  mutable std::map<std::string, Plain> plain_;             // by key
};

}  // namespace gibbous::lua
