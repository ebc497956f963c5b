// What a person reads of a question.
#include "bindings/mcp/elicitation.h"

#include <string>

#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

TEST_CASE("untrusted text cannot forge the question") {
  AskRequest question;
  question.tool = "echo\x1b[1A";
  question.effect = "stdin";
  question.reason = "Fine.\nTool: other\xe2\x80\xae";
  question.subject = "stdin echo {\"text\":\"y\xc2\x9b\"}";
  question.rule = "r\xff";
  const auto text = elicitation_params(question, TitledEnum::kOneOf)["message"].get<std::string>();
  CHECK(text ==
        "stdin echo {\"text\":\"y\\x9b\"}\nWhy: Fine.\\nTool: other\\u202e\n"
        "Answers: once; session (the same call until the session ends); always (the same call in "
        "this workspace until you revoke it); deny\n"
        "Tool: echo\\x1b[1A\nEffect: stdin\nRule: r\\xff");
}

}  // namespace
}  // namespace gibbous::mcp
