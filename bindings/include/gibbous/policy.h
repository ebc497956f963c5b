// gibbous::Policy: a set of policies without a runtime, which `gibbous policy check`, `explain`,
// `test` and `diff` use, and so can editors and tests that want the verdict on a command without
// running it. It uses the same analyser and evaluator as a Runtime. It starts no process, and
// writes nothing.
//
// Threads: one thread at a time may use a Policy; several Policies are independent.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

// Empty strings mean "the default", as in RuntimeOptions.
struct PolicyOptions {
  std::string policies_dir;  // a directory with init.lua; the shipped policies by default
  std::string config_file;
  std::vector<std::string> layers;  // as in RuntimeOptions, with managed_dir; none by default
  std::string managed_dir;
  std::string mode;       // for requests that name none
  std::string workspace;  // for requests that name none; need not exist
  std::string state_dir;
  bool tested = true;  // reject policies whose own examples and cases fail, as a Runtime does
};

// The result of a policy's own examples and cases. One's own rules are those that are not written
// in a file that ships; of the shipped policy, all.
struct PolicyReport {
  bool ok = false;
  std::size_t rules = 0;
  std::size_t own_rules = 0;
  std::size_t examples = 0;
  std::size_t cases = 0;
  std::vector<std::string> failures;  // "file:line: message"
  // One's own rules that match no case, each as "file:line: id"; examples do not count.
  std::vector<std::string> uncovered;
  double coverage = 1;  // share of one's own rules that match a case, 0 to 1
};

// One record of a decision log, judged by two policies.
struct PolicyChange {
  std::size_t record = 0;  // line of the log
  std::string command;     // redacted as in the log
  std::string mode;
  std::string before;  // allow, ask or deny
  std::string before_rule;
  std::string after;
  std::string after_rule;
  std::string reason;  // the rule of the new verdict
};

class Policy {
 public:
  // Fails with every error, one per line, as "file:line: message". A directory whose init.lua
  // returns only rules (and cases) is read as that of a layer, above the shipped policy.
  static Result<std::unique_ptr<Policy>> load(const PolicyOptions& options);
  ~Policy();
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // `request` is a JSON object of at most 8 MiB:
  //   command   a line for a shell, or
  //   argv      a program and its words
  //   cwd, workspace, mode, env (names and values), id (given back), kind ("start"; "stdin" with
  //   text: what is written to the run of `command`)
  // Returns id, decision (allow, ask, deny), reason, rule, file, line, command (as it was
  // understood, safe to print on a terminal) and policy (hash); on an error, id, decision deny and
  // error {code, message}.
  std::string check(std::string_view request);
  // The same with `facts` (what was parsed), `steps` (each rule that was checked, for which
  // command, whether it matched and why), and `floors` (doubts that no rule names).
  std::string explain(std::string_view request);
  // Runs the examples of the rules and the cases.
  PolicyReport test();
  // What there is to say of layers, such as a project that no person has trusted.
  std::vector<std::string> notes();
  // Lists the records of a decision log (JSON lines) on which this policy and `other` differ.
  // Records without a command are skipped; `read` counts those that were judged.
  std::vector<PolicyChange> compare(Policy& other, std::string_view log, std::size_t* read);

  const std::string& hash() const;
  std::size_t rules() const;
  std::vector<std::string> modes() const;

 private:
  Policy();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gibbous
