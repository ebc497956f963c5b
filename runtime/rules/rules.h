// Rules over Facts: which rules match a command line, and what the strictest of them says. Rules
// are plain data from the policy's Lua tables (bindings/lua reads them); a rule may also have a
// test function, which is called back. The runtime, `policy check`, `explain` and `test` share this
// evaluator. Loop thread only, because of the test functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace gibbous::command {
class PathMap;
}

namespace gibbous::rules {

enum class Decision : std::uint8_t { kAllow, kAsk, kDeny };
const char* name_of(Decision decision);

inline constexpr std::size_t kMaxRulePatternBytes = 1024;
inline constexpr std::string_view kRegexPrefix = "re:";

// A pattern for a text: a glob (`*` any characters, `?` one; no classes), or "re:" and RE2 syntax,
// anchored at both ends. A value with holes matches a glob where the glob has a * over the hole.
// For RE2 a value with an unknown hole matches nothing; a file pattern is compared as written.
struct Pattern {
  std::string text;                       // as written
  std::shared_ptr<const re2::RE2> regex;  // null: a glob
  static Result<Pattern> compile(const std::string& text);
  bool matches(std::string_view text) const;
  bool matches(const command::Value& value) const;
  // Returns false only if no word that the value may become matches.
  bool may_match(const command::Value& value) const;
  bool literal() const { return !regex && text.find_first_of("*?") == std::string::npos; }
};

// An example of a rule, judged in workspace /workspace and home /home/user.
struct Example {
  std::string command;
  std::vector<std::string> argv;  // instead of `command`
  std::string cwd;                // "" is /workspace
  std::string mode;               // of a case; "" is that of its table
};

// One of the options `names` is given with a value that matches one of `values`. Several uses: for
// ask and deny rules one suffices, for allow rules each must match. An unknown value matches for
// ask and deny rules where it may become one that does, and never for allow rules.
struct OptionCondition {
  std::vector<std::string> names;  // "--context", "-c"
  std::vector<Pattern> values;
};

// All given conditions must hold for the same command; lists are alternatives unless said
// otherwise. RuleSet::create refuses a rule without any condition.
//
// Unknown parts never count as present, except in `options`. For allow rules they never count as
// absent either: without_flags, not_arguments and max_operands fail if a hole may become what they
// exclude.
struct Rule {
  std::string id;      // unique: "machine.remove_root"
  std::string reason;  // a sentence for a person, naming the alternative; ask and deny need it
  Decision decision = Decision::kAsk;
  std::string file;
  int line = 0;
  bool shipped = false;  // it comes with Gibbous, below a policy of one's own

  std::vector<Pattern> programs;  // base name of the program
  std::vector<Pattern> subcommands;
  std::vector<std::vector<std::string>> flags;  // one of each list must be present, by meaning
  std::vector<std::string> without_flags;       // none of these
  std::vector<OptionCondition> options;         // each of these
  std::vector<Pattern> arguments;               // some argument matches one
  std::vector<Pattern> not_arguments;           // no argument matches any
  std::vector<Pattern> operands;                // some operand matches one
  std::optional<int> max_operands;
  std::vector<command::AccessKind> access;  // some access is of such a kind, has one of these
  command::PathClasses paths = 0;           // classes, and none of those,
  command::PathClasses not_paths = 0;       //
  std::optional<bool> recursive;            // and recursive or not,
  std::optional<bool> redirection;          // and by redirection or not
  std::vector<command::Doubt> doubts;
  std::vector<Pattern> doubt_details;  // with `doubts`: its detail matches one
  std::vector<Pattern> within;         // kind or `by` of its nesting: "substitution", "xargs"
  std::vector<Pattern> fed_by;
  std::vector<Pattern> feeds;
  std::vector<Pattern> hosts;
  std::vector<Pattern> not_hosts;  // some host matches none of these
  std::optional<bool> privileged;
  std::optional<bool> remote;
  bool leaves = false;    // allow: a line of such commands needs no sandbox
  bool reads = false;     // allow: it only reads; if it leaves, too, then beside others that leave
  bool computed = false;  // some word of it is known only when it runs
  bool computed_input = false;  // its input stands in the line, and has such parts
  int test = -1;                // a test function, by its index; -1: none
  bool test_knows = false;      // the test's answer stands, whatever words it looked at

  std::vector<Example> match;
  std::vector<Example> not_match;
};

// What a test function said. `unknown` is a word that is not known before the command runs and that
// the function looked at: an allow rule does not match then, and an ask or deny rule does.
struct TestAnswer {
  bool holds = false;
  std::string unknown;

  TestAnswer(bool said) : holds(said) {}  // NOLINT: most tests know all that they look at
  TestAnswer(bool said, std::string word) : holds(said), unknown(std::move(word)) {}
};

// Calls a test function. Fails if the function raised or ran out of time.
using TestFunction =
    std::function<Result<TestAnswer>(const Rule& rule, const command::Facts& facts, int command)>;

// Beyond this number, steps that did not match are left out; those that matched never are.
inline constexpr std::size_t kMaxMissedSteps = 16'384;

// One rule that was tried on one command, for `policy explain`; strictest first. Rules that name
// other programs are not tried.
struct Step {
  int command = -1;  // index into Facts::commands; -1: the line
  const Rule* rule = nullptr;
  bool matched = false;
  std::string why;  // what held ("removes / (system), recursive") or failed ("no flag -f")
};

inline constexpr char kPolicyError[] = "policy_error";

struct Outcome {
  // None: at least one command met no rule, and no rule asks or denies.
  std::optional<Decision> decision;
  const Rule* rule = nullptr;  // the deciding rule; null: none, or a floor, see `id`
  std::string id;              // of the rule, "doubt.NAME" for a doubt that met no rule, or
                               // "policy_error"
  std::string reason;
  std::string file;
  int line = 0;
  int command = -1;  // the deciding command; -1: the line
  int doubt = -1;    // index into Facts::doubts
  std::vector<const Rule*>
      matched;  // all that matched, each once, strictest first; of equals
                // one's own, then the first of the set. `policy test` counts these for coverage
  int unmatched = -1;        // the first command that no rule matched
  std::vector<int> floors;   // indexes of the doubts that no ask or deny rule named
  bool may_confine = false;  // it asks, and for nothing but what a sandbox holds
  bool reads = false;        // allowed, each command by a rule that `reads`, and nothing is written
  bool leaves = false;  // each by one that `leaves`, some without `reads`, and all is written out
};

// Rules by the programs that they name literally; stricter first.
using RulesByProgram = std::unordered_map<std::string, std::vector<const Rule*>>;

struct GeneralRule {
  const Rule* rule = nullptr;
  std::vector<Pattern> programs;  // the patterns among those that it names; empty: it names none
};

class RuleSet {
 public:
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  // Fails if the rules themselves are wrong: a duplicate id, no condition, flags that no word can
  // be, ... One Status has all faults, one "file:line: message" per line.
  static Result<std::shared_ptr<const RuleSet>> create(
      std::vector<Rule> rules, std::shared_ptr<const command::Knowledge> knowledge);
  std::span<const Rule> rules() const { return rules_; }
  std::size_t size() const { return rules_.size(); }
  const command::Knowledge& knowledge() const { return *knowledge_; }

  // The order is deny, ask, allow: the strictest over all commands decides. A doubt that no ask or
  // deny rule names asks; Doubt::kUnjudged always denies. A test function that fails denies:
  // "policy_error". `steps` may be null. The outcome points into the set.
  Outcome judge(const command::Facts& facts, const TestFunction& test,
                std::vector<Step>* steps = nullptr) const;

 private:
  RuleSet() = default;
  std::vector<Rule> rules_;  // never moved: their addresses tell their order
  std::shared_ptr<const command::Knowledge> knowledge_;
  RulesByProgram by_program_;
  std::vector<GeneralRule> general_;  // with patterns of programs, or without programs
};

// Returns true if `flag` ("-r", "--recursive") is among the options of a command: alone, in a
// cluster (-rf), as a prefix that looks unambiguous (--rec, at least one letter), or with =value.
// `spec` says which options take values, and names long options, which abbreviate no others. It is
// the program's, even if that has subcommands; it may be null. `negated`: one behind a `!` counts,
// too.
bool has_flag(const command::SimpleCommand& command, const command::ProgramSpec* spec,
              std::string_view flag, bool negated = true);

// `map`: the path classes of /workspace and /home/user; null: made from the rules' knowledge,
// without the variables of the sandbox's profiles.
struct Judged {
  command::Facts facts;
  Outcome outcome;
};
// Judges an example as check_examples does; `policy test` judges its cases with it.
Judged judge_example(const RuleSet& rules, const Example& example, const TestFunction& test,
                     std::vector<Step>* steps = nullptr,
                     std::shared_ptr<const command::PathMap> map = nullptr);

// Runs every example of every rule and reports failures, one "file:line: message" per line. A
// `match` must make its rule match, and a `not_match` must not. Every rule needs a `match`, and its
// own decision must apply to at least one, or the rule is shadowed; one that ships may be overruled
// by one's own.
Status check_examples(const RuleSet& rules, const TestFunction& test,
                      std::shared_ptr<const command::PathMap> map = nullptr);

}  // namespace gibbous::rules
