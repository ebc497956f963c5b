// A decision of the policy as text, in parts that can be coloured, or as the recorded line of JSON.
// Pure, any thread.
#pragma once

#include <string>

#include "bindings/json/json.h"
#include "runtime/journal/record.h"

namespace gibbous::inspect {

// Each part is one printable line, or "".
struct DecisionText {
  std::string decision;  // "allow", "ask", "deny", or "lost" for decisions that were not recorded
  std::string rule;
  std::string tool;
  std::string effect;   // "call", "start", "stdin", "kill"
  std::string subject;  // the command, its words, what was typed, or the arguments of the call
  std::string reason;
  std::string answer;  // a person's: "allowed by sam: looks fine"
};

DecisionText decision_text(const DecisionRecord& decision);

// What a person answered: {id, decision, who, reason, rule, message}; null when none did, or the
// answer was given before and counts again.
Json persons_answer(const DecisionRecord& decision);

// One line of JSON with time, id, effect, tool, session, mode, command, decision, rule, ...
std::string decision_json(const DecisionRecord& decision);

}  // namespace gibbous::inspect
