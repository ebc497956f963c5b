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
  std::string about;  // printable: what it covers, and until when; "": the title says it
  AskAnswer means;
};

// The last one denies.
std::vector<AskChoice> choices_of(const AskRequest& request);

// The choices on one line, each with what it covers.
std::string choices_text(const AskRequest& request);

// A refusal, with a reason for the model.
AskAnswer denial(std::string reason);

}  // namespace gibbous::stdio
