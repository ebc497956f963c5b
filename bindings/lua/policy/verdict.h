// Verdict: the policy's answer to a request. Plain data; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {

struct Judgement;  // judgement.h

inline constexpr char kErrorRule[] = "policy_error";  // the rule where the policy failed
// The profile of git that has left the sandboxes of other runs.
inline constexpr char kFetchProfile[] = "fetch";
inline constexpr std::string_view kNotApproved = "it was not approved";  // begins a reason

struct Verdict {
  using Decision = rules::Decision;
  Decision decision = Decision::kDeny;
  std::string id;      // of this decision, 8 characters; set by the engine
  std::string reason;  // a sentence for a person
  std::string rule;    // an id for logs
  // `ask`: whatever asks, `rule` first: the ids of rules, of doubts ("doubt.NAME") and of what else
  // an approval has to cover.
  std::vector<std::string> asks;
  std::string file;
  int line = 0;
  Json limits;   // for a start: the limits to apply, whatever was requested; null: as requested
  Json sandbox;  // for a start: the profile to apply; null: none
  // Of the policy, by name: what `sandbox` leaves out where it says `like = NAME`.
  std::shared_ptr<const Json> profiles;  // null: it has none
  Json env;  // for a start: variables that the run gets, whatever it asked for; null: none
  std::shared_ptr<const Judgement> judgement;  // on the request's commands; null: it has none
  std::string waits;  // `ask`: the question stays open under this id, and the call may come again
  std::string approved_command;  // the approval_key() that a person has just approved; "": none

  // Returns the complete sandbox.
  Json whole_sandbox() const;
};

}  // namespace gibbous::lua
