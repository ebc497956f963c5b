// KnowledgeReader: shared by the readers of programs and of the rest of a policy's knowledge.
// Private to knowledge_value.cc and program_value.cc. Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/policy/table_reader.h"
#include "runtime/command/knowledge.h"

namespace gibbous::lua {

class KnowledgeReader : public TableReader {
 public:
  // `tested`: the policy was tested when Gibbous was built, so places of faults are not needed.
  KnowledgeReader(lua_State* state, Faults* faults, bool tested)
      : TableReader(state, faults), tested_(tested) {}

  bool tested() const { return tested_; }
  // Reads strings of words, or lists of such strings.
  void flags(std::vector<std::string>* out) { words(out, true); }
  void selectors(std::vector<command::Selector>* out);
  std::shared_ptr<const re2::RE2> regex();

  bool is_subcommand = false;  // the result being filled in

 private:
  const bool tested_;
};

inline constexpr char kShellLanguage[] = "shell";

// The table of programs on top of the stack.
void read_programs(KnowledgeReader& reader, command::Knowledge* out);

template <typename T>
using KnowledgeField = TableReader::Field<KnowledgeReader, T>;

}  // namespace gibbous::lua
