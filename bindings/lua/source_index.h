// SourceIndex: where in the sources of a policy something stands. Lua tables do not know where they
// were written; but a rule's id, a case's command or a word that is wrong stand in the files as
// string literals. Made once a load, read by the readers of policy tables. Immutable, any thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "bindings/lua/generation.h"

namespace gibbous::lua {

struct SourcePlace {
  std::string file;  // "" when it is not known
  int line = 0;      // 0 when it is not known
};

class SourceIndex {
 public:
  SourceIndex() = default;
  explicit SourceIndex(const std::vector<SourceFile>& files);

  // Where the string `text` stands as the value of the field `key` ("": anywhere). Of several
  // places the first in `file` from the line `from` on, else the first in `file`; elsewhere only
  // the single one there is. `file` and line 0 when there is none.
  SourcePlace find(const std::string& text, const std::string& key, const std::string& file,
                   int from = 0) const;
  // The same for the name of a field: `name = ...`, ['name'] = ...
  SourcePlace find_key(const std::string& name, const std::string& file, int from = 0) const;

 private:
  struct Hit {
    std::size_t file;
    int line;
    bool literal;
    std::string key;  // of a literal that is the value of a field
  };
  using Hits = std::unordered_map<std::string, std::vector<Hit>>;
  template <typename Fits>
  SourcePlace choose(const std::string& text, const std::string& file, int from, Fits fits) const;

  std::vector<std::string> files_;
  Hits hits_;
};

}  // namespace gibbous::lua
