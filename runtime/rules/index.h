// An index that RuleSet::create prepares, so that most rules are skipped without being read: by
// program, and by bits for what a command must at least have. Private to runtime/rules.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/rules/rules.h"

namespace gibbous::rules {

// Bits for what a command has; Needs::all has those that a rule needs.
enum Fact : std::uint32_t {
  kHasOptions = 1U << 0,
  kHasArguments = 1U << 1,
  kHasOperands = 1U << 2,
  kHasSubcommand = 1U << 3,
  kHasRecursive = 1U << 4,  // a recursive access
  kHasFlat = 1U << 5,       // an access that is not recursive
  kHasRedirection = 1U << 6,
  kHasArgumentAccess = 1U << 7,
  kHasNesting = 1U << 10,
  kHasFedBy = 1U << 11,
  kHasFeeds = 1U << 12,
  kHasHosts = 1U << 13,
  kIsPrivileged = 1U << 14,
  kIsNotPrivileged = 1U << 15,
  kIsRemote = 1U << 16,
  kIsNotRemote = 1U << 17,
  kHasComputed = 1U << 19,        // a word with a hole
  kHasListedArgument = 1U << 20,  // an argument that ListedArguments may list; Index sets it
  kHasComputedInput = 1U << 21,
};

// Returns true if some word is known only when the command runs.
bool has_computed_word(const command::SimpleCommand& command);
// Returns true unless such an access only reads, enters or names a path.
bool changes_something(command::AccessKind kind);

// Always set in Has, and in Needs where there is no condition.
inline constexpr std::uint32_t kAnyKind = 1U << 31;
inline constexpr std::uint32_t kAnyDoubt = 1U << 31;
inline constexpr std::uint64_t kAnyClass = std::uint64_t{1} << 63;
static_assert(command::kDoubts < 31);

constexpr std::uint32_t bit_of(command::AccessKind kind) {
  return 1U << static_cast<unsigned>(kind);
}
constexpr std::uint32_t bit_of(command::Doubt doubt) {
  return 1U << static_cast<unsigned>(doubt);
}

// The properties of one command; kinds, classes and doubts are combined over all of them.
struct Has {
  std::uint32_t facts = 0;
  std::uint32_t kinds = kAnyKind;
  std::uint32_t doubts = kAnyDoubt;
  std::uint64_t classes = kAnyClass;
};
Has what_it_has(const command::SimpleCommand& command, std::uint32_t doubts);

struct Needs {
  std::uint32_t all = 0;
  std::uint32_t kinds = kAnyKind;  // one of these, and so on
  std::uint32_t doubts = kAnyDoubt;
  std::uint64_t classes = kAnyClass;

  bool met_by(const Has& has) const {
    return (all & ~has.facts) == 0 && (kinds & has.kinds) != 0 && (doubts & has.doubts) != 0 &&
           (classes & has.classes) != 0;
  }
};
Needs what_it_needs(const Rule& rule);

bool has_access_conditions(const Rule& rule);
// Returns true if the rule has a condition on a command other than `doubts` and its details.
bool has_command_conditions(const Rule& rule);

// Orders stricter rules first; of equal ones, one's own before those that ship, then as in the set.
bool stricter(const Rule* left, const Rule* right);

// All arguments that rules without a program name, as one expression: most commands have none of
// them, and so need not be compared with each. It takes a millisecond to make, so the first
// commands are: a process may judge no other. Any thread.
class ListedArguments {
 public:
  // Returns false for a rule that it cannot speak for. Call before the first may_hold().
  bool add(const Rule& rule);
  // Returns false only if no argument of the command matches a pattern of any rule that was added.
  bool may_hold(const command::SimpleCommand& command) const;

 private:
  static constexpr int kUnaided = 32;  // commands

  std::string expression_;
  mutable std::atomic<int> asked_{0};
  mutable std::once_flag once_;
  mutable std::shared_ptr<const re2::RE2> regex_;  // null: it is too large
};

struct Prepared {
  std::uint32_t rule = 0;  // in the set
  Needs needs;
};

// Rules by a program that they name literally. Stricter first.
struct ProgramRules {
  std::vector<Prepared> rules;
};

// A rule with patterns of programs, or without programs.
struct GeneralRule {
  Prepared prepared;
  std::vector<Pattern> programs;  // the patterns; empty: it names no program
  std::bitset<256> begins;        // the first bytes of programs that one of them may match

  // Call once `programs` is set.
  void find_beginnings();
  // Returns true if the rule may hold for a program under which by_program does not list it.
  bool takes(const std::string& program, std::span<const Rule> rules) const;
};

struct Index {
  // A rule may be in both. Stricter first.
  std::unordered_map<std::string, ProgramRules> by_program;
  std::vector<GeneralRule> general;
  ListedArguments listed;               // of those in general that name no program
  std::vector<std::uint32_t> of_lines;  // those that can match a doubt of the line

  explicit Index(std::span<const Rule> rules);
};

}  // namespace gibbous::rules
