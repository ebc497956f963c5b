// The answers that a question offers to a person, the same in every front end: a client's form,
// `gibbous asks` and `gibbous top`. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "gibbous/runtime.h"

namespace gibbous::stdio {

struct AskChoice {
  std::string value;  // once, session, always, prefix, rule or deny
  std::string title;  // printable: "Allow once"
  AskAnswer means;
};

// The last one denies.
std::vector<AskChoice> choices_of(const AskRequest& request);

// A refusal, with a reason for the model.
AskAnswer denial(std::string reason);

}  // namespace gibbous::stdio
