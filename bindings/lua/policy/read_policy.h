// ReadPolicy: what has been read of a policy's tables: plain data without any Lua, shared by
// generations, and kept for other processes (load/kept_policy.h). Immutable; any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {

// Where a rule's test function is found again.
struct TestOrigin {
  std::string module;  // returns a list of rules; "": only reading all rules again finds it
  int item = 0;        // in that list, from 1
};

// Compiled files. They are many bytes, of which few are needed: what is kept stays in its file.
struct Chunks {
  struct Chunk {
    std::string hash;       // of its bytes, which count only if it is right
    std::size_t begin = 0;  // in `memory`, or in the file
    std::size_t size = 0;
  };
  std::string memory;
  UniqueFd file;  // instead of `memory`
  std::map<std::string, Chunk> by_path;

  // Returns "" for what is not as it was.
  std::string bytes_of(const Chunk& chunk) const;
};

struct ReadPolicy {
  std::shared_ptr<const command::Knowledge> knowledge;
  std::shared_ptr<const rules::RuleSet> rules;  // null: none
  std::vector<TestOrigin> tests;                // by Rule::test
  std::shared_ptr<const Chunks> chunks;         // of the files; null: they are compiled again
};

}  // namespace gibbous::lua
