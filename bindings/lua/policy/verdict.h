// Verdict: what the policy answers to a request. Plain data; any thread.
#pragma once

#include <memory>
#include <string>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

struct Judgement;  // judgement.h

struct Verdict {
  enum class Decision { kAllow, kAsk, kDeny } decision = Decision::kDeny;
  std::string id;      // of this decision, 8 characters; the engine gives it
  std::string reason;  // a sentence for a person
  std::string rule;    // an id for logs
  std::string file;
  int line = 0;
  Json limits;   // of a start: what the run gets, whatever was asked; null: as asked
  Json sandbox;  // of a start: what the run gets, a whole profile; null: none
  std::shared_ptr<const Judgement> judgement;  // of the commands of the request; null: it has none
  std::string approved_command;  // the approval_key() a person has just approved; "": none
};

// "allow", "ask" or "deny".
const char* name_of(Verdict::Decision decision);

}  // namespace gibbous::lua
