// Secrets in output, however it arrives.
#include "bindings/inspect/secrets.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "bindings/inspect/run_facts.h"

#include "tests/support/catch.h"

using gibbous::Json;
using gibbous::inspect::StreamRedactor;

namespace {

std::string fed(std::initializer_list<std::string_view> pieces, bool flushed = false) {
  StreamRedactor redactor;
  std::string text;
  for (const std::string_view piece : pieces) {
    text += redactor.feed(piece);
    if (flushed) text += redactor.flush();
  }
  return text + redactor.flush();
}

constexpr const char* kToken = "ghp_0123456789abcdefghij0123456789";

}  // namespace

TEST_CASE("a secret in output is redacted, wherever the output is split") {
  constexpr std::string_view text = "token ghp_0123456789abcdefghij0123456789 is set\n";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    INFO(at);
    CHECK(fed({text.substr(0, at), text.substr(at)}) == "token *** is set\n");
  }
  CHECK(fed({"API_KEY=", "abc", "def", "\nnext"}, true) == "API_KEY=***\nnext");
}

TEST_CASE("output without secrets is unchanged, with its colours and returns") {
  constexpr std::string_view text = "\x1b[32mok\x1b[0m 10%\r20%\r\n\xFF\x01 end";
  CHECK(fed({text}) == text);
  CHECK(fed({text.substr(0, 3), text.substr(3)}, true) == text);
}

TEST_CASE("colours do not hide a secret") {
  CHECK(fed({"\x1b[32mghp_0123456789abcdefghij0123456789\x1b[0m\n"}) == "***\n");
}

TEST_CASE("a private key is redacted line by line") {
  CHECK(fed({"-----BEGIN RSA PRIVATE KEY-----\nMIIE\r\n", "abc=\n\n-----END RSA PRIVATE KEY-----\n",
             "after\n"}) ==
        "-----BEGIN RSA PRIVATE KEY-----\n***\r\n***\n\n-----END RSA PRIVATE KEY-----\nafter\n");
}

TEST_CASE("what stands before a private key in its first line is redacted") {
  CHECK(fed({"password=hunter2zz -----BEGIN RSA PRIVATE KEY-----\nMIIE\n"}) ==
        "password=*** -----BEGIN RSA PRIVATE KEY-----\n***\n");
}

TEST_CASE("a line without an end is shown once it is long") {
  StreamRedactor redactor;
  const std::string piece(gibbous::inspect::kMaxHeldBytes + 1, 'x');
  CHECK(redactor.feed(piece) == piece);
  CHECK(redactor.feed("y").empty());
  CHECK(redactor.flush() == "y");
}

TEST_CASE("every string in JSON is redacted") {
  Json value = {{"line", "PASSWORD=hunter2"}, {"lines", {kToken, 7}}, {"code", 3}};
  gibbous::Redaction().redact_strings(value);
  CHECK(value == Json{{"line", "PASSWORD=***"}, {"lines", {"***", 7}}, {"code", 3}});
}

// --- Patterns of a policy -----------------------------------------------------------------------

namespace {

gibbous::Redaction recorded(const std::string& meta) {
  gibbous::RunRecord run;
  run.meta_json = meta;
  return gibbous::inspect::facts_of(run).redaction;
}

}  // namespace

TEST_CASE("the patterns that a run's record has are redacted besides the built-in ones") {
  const auto redaction = recorded(R"({"redact":{"patterns":["corp-[0-9]+","id=([a-z]+) "]}})");
  CHECK(redaction.redact("corp-17 id=abc PASSWORD=x") == "*** id=*** PASSWORD=***");
  CHECK(recorded("").redact("corp-17 PASSWORD=x") == "corp-17 PASSWORD=***");
  CHECK(recorded("{}").redact("corp-17") == "corp-17");
  CHECK(recorded(R"({"label":"web"})").redact("corp-17") == "corp-17");
}

TEST_CASE("everything is redacted when the record of a run cannot be understood") {
  for (const char* meta :
       {R"({"redact":{"patterns":["["]}})", R"({"redact":{"patterns":[7]}})",
        R"({"redact":{"patterns":"x"}})", R"({"redact":{"unknown":true}})",
        R"({"redact":{"patterns":["x"],"unknown":true}})", R"({"redact":{"too_many":true}})",
        R"({"redact":{"patterns":["x"],"of_a_later_version":1}})", R"({"redact":["x"]})",
        R"({"redact":null})", "no JSON", "[]"}) {
    INFO(meta);
    CHECK(recorded(meta).redact("make all") == "***");
    CHECK(recorded(meta).redact("make all\r\n") == "***\r\n");
    CHECK(recorded(meta).redact("\n") == "\n");
  }
}

TEST_CASE("a line that turns out to be a secret shows no more of it") {
  StreamRedactor redactor;
  redactor.use(recorded(R"({"redact":{"patterns":["corp-[0-9]{4}"]}})"));
  CHECK(redactor.feed("is corp-1").empty());
  CHECK(redactor.flush() == "is corp-1");
  CHECK(redactor.feed("23").empty());
  CHECK(redactor.flush() == "23");
  CHECK(redactor.feed("4, yes\n") == "***, yes\n");
}
