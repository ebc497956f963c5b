// Rules over Facts: which rules match a command line, and what the strictest of them says. Rules
// are plain data that the policy's Lua tables give (bindings/lua reads them); a rule may have a
// test function besides, which is called back. One evaluator for the runtime, `policy check`,
// `explain` and `test`. Loop thread only, because of the test functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace re2 {
class RE2;
}
namespace gibbous::command {
class PathMap;
}

namespace gibbous::rules {

enum class Decision : std::uint8_t { kAllow, kAsk, kDeny };
const char* name_of(Decision decision);

inline constexpr std::size_t kMaxRulePatternBytes = 1024;
inline constexpr std::string_view kRegexPrefix = "re:";

// A text to compare with: a glob (`*` any characters, `?` one; no classes), or "re:" and RE2
// syntax, anchored at both ends. A value with holes matches a glob where the glob has a * over the
// hole. For RE2 a value with an unknown hole matches nothing; a file pattern stands as written.
struct Pattern {
  std::string text;                       // as written
  std::shared_ptr<const re2::RE2> regex;  // null: a glob
  static Result<Pattern> compile(const std::string& text);
  bool matches(std::string_view text) const;
  bool matches(const command::Value& value) const;
  // False only when no word that the value may become matches.
  bool may_match(const command::Value& value) const;
  bool literal() const { return !regex && text.find_first_of("*?") == std::string::npos; }
};

// An example of a rule: judged in workspace /workspace, home /home/user, mode "auto" by default.
struct Example {
  std::string command;
  std::vector<std::string> argv;  // instead of `command`
  std::string cwd;                // "" is /workspace
  std::string mode;
};

// All conditions that are given must hold, for one and the same command; lists are alternatives
// unless said otherwise. A rule without any condition is refused by RuleSet::create.
//
// What is not known never counts as being there. For allow rules it never counts as absent either:
// without_flags, not_arguments and max_operands fail where a hole may become what they exclude.
struct Rule {
  std::string id;      // unique: "machine.remove_root"
  std::string reason;  // a sentence for a person, naming the alternative; ask and deny need it
  Decision decision = Decision::kAsk;
  std::string file;
  int line = 0;
  std::vector<std::string> modes;  // only in these; empty: all. Never on a deny rule.

  std::vector<Pattern> programs;  // base name of the program
  std::vector<Pattern> subcommands;
  std::vector<std::vector<std::string>> flags;  // of each list one must be there, by meaning
  std::vector<std::string> without_flags;       // none of these
  std::vector<Pattern> arguments;               // some argument matches one
  std::vector<Pattern> not_arguments;           // no argument matches any
  std::vector<Pattern> operands;                // some operand matches one
  std::optional<int> max_operands;
  std::vector<command::AccessKind> access;  // some access is of such a kind, and of these
  command::PathClasses paths = 0;           // classes (any of them), and not of those,
  command::PathClasses not_paths = 0;       //
  std::optional<bool> recursive;            // and recursive or not,
  std::optional<bool> redirection;          // and by redirection or not
  std::vector<command::Doubt> doubts;
  std::vector<Pattern> doubt_details;  // with `doubts`: its detail matches one
  std::vector<Pattern> variables;      // names of assignments
  std::vector<Pattern> wrappers;
  std::vector<Pattern> within;  // kind or `by` of its nesting: "substitution", "xargs"
  std::vector<Pattern> fed_by;
  std::vector<Pattern> feeds;
  std::vector<Pattern> hosts;
  std::vector<Pattern> not_hosts;  // some host matches none of these
  std::optional<bool> privileged;
  std::optional<bool> remote;
  bool only_reads = false;                      // no access but reads and enters, no doubts, no
                                                // wrappers that are privileged
  command::PathClasses only_reads_besides = 0;  // other access to these does not count
  int test = -1;                                // a test function, by its index; -1: none

  std::vector<Example> match;
  std::vector<Example> not_match;
};

// Asks a test function. Fails when the function raised or ran out of time.
using TestFunction =
    std::function<Result<bool>(const Rule& rule, const command::Facts& facts, int command)>;

// Steps that did not match are left out when there are this many; those that matched never are.
inline constexpr std::size_t kMaxMissedSteps = 16'384;

// One rule that was looked at for one command, for `policy explain`; strictest first. Rules that
// name other programs are not looked at.
struct Step {
  int command = -1;  // index into Facts::commands; -1: the line
  const Rule* rule = nullptr;
  bool matched = false;
  std::string why;  // what held ("removes / (system), recursive") or what did not ("no flag -f")
};

inline constexpr char kPolicyError[] = "policy_error";

struct Outcome {
  // None: no rule says anything about at least one command, and none asks or denies.
  std::optional<Decision> decision;
  const Rule* rule = nullptr;  // that decided; null: none, or a floor, see `id`
  std::string id;              // of the rule, "doubt.NAME" when a doubt met no rule, "policy_error"
  std::string reason;
  std::string file;
  int line = 0;
  int command = -1;                  // that decided; -1: the line
  int doubt = -1;                    // index into Facts::doubts
  std::vector<const Rule*> matched;  // all that matched, each once, strictest first; of equals the
                                     // first of the set. `policy test` counts these for coverage
  int unmatched = -1;                // the first command that no rule matched
  std::vector<int> floors;           // indexes of the doubts that no ask or deny rule named
};

class RuleSet {
 public:
  ~RuleSet();
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  // What is wrong with the rules as such: an id twice, no condition, a deny rule with modes, flags
  // that are wanted and excluded at once, ... One Status for all, one "file:line: message" a line.
  static Result<std::shared_ptr<const RuleSet>> create(
      std::vector<Rule> rules, std::shared_ptr<const command::Knowledge> knowledge);

  const std::vector<Rule>& rules() const { return rules_; }
  const command::Knowledge& knowledge() const { return *knowledge_; }

  // The order: deny, ask, allow; the strictest over all commands. A doubt that no ask or deny rule
  // names is asked about; Doubt::kUnjudged denies, whatever names it. A command that is only a
  // string in some interpreter's code (Nesting::kLiteral) can deny, not ask. A test function that
  // fails denies: "policy_error". `steps` may be null. What the outcome points to lives as long as
  // the set.
  Outcome judge(const command::Facts& facts, const std::string& mode, const TestFunction& test,
                std::vector<Step>* steps = nullptr) const;

 private:
  RuleSet();
  std::vector<Rule> rules_;
  std::shared_ptr<const command::Knowledge> knowledge_;
  std::unique_ptr<const struct Index> index_;
};

// True when `flag` ("-r", "--recursive") is among the options of a command: alone, in a cluster
// (-rf), by an unambiguous-looking prefix (--rec, at least one letter), or with =value. Knows which
// options take values, and which long ones it names: those are no abbreviation of others. `spec` is
// the program's, also when it has subcommands; it may be null.
bool has_flag(const command::SimpleCommand& command, const command::ProgramSpec* spec,
              std::string_view flag);

// `map`: the path classes of /workspace and /home/user; null: made from what the rules know alone,
// without the variables of the sandbox's profiles.
struct Judged {
  command::Facts facts;
  Outcome outcome;
};
// Judges an example as check_examples does: what `policy test` does with cases of its own.
Judged judge_example(const RuleSet& rules, const Example& example, const TestFunction& test,
                     std::vector<Step>* steps = nullptr,
                     std::shared_ptr<const command::PathMap> map = nullptr);

// Runs every example of every rule, and says which fail: a `match` must make its rule match, a
// `not_match` must not; at least one `match` must be decided as the rule says, or the rule is
// shadowed. Every rule needs a match. One "file:line: message" a line.
Status check_examples(const RuleSet& rules, const TestFunction& test,
                      std::shared_ptr<const command::PathMap> map = nullptr);

}  // namespace gibbous::rules
