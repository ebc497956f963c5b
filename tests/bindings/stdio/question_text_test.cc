// A policy question as people read it: what comes first, and what is left out.
#include "bindings/stdio/question_text.h"

#include <string>

#include "bindings/stdio/ask_choices.h"
#include "tests/support/catch.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using gibbous::AskRequest;
using namespace gibbous::stdio;

namespace {

constexpr std::size_t kLine = 240;  // of the first line, without the note

AskRequest asks_about(const std::string& command) {
  AskRequest request;
  request.tool = "bg_start";
  request.effect = "start";
  request.reason = "It publishes.";
  request.rule = "git.push";
  request.rules = {"git.push"};
  request.command = command;
  request.commands = {command};
  request.subject = command;
  return request;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("a question begins with the command, then says why it is asked") {
  CHECK(question_text(asks_about("git push")) ==
        "git push\nWhy: It publishes.\nTool: bg_start\nEffect: start\nRule: git.push");
}

TEST_CASE("only what can come again is offered for longer") {
  AskRequest request = asks_about("pip install ./tool");
  request.id = "k3j9x2ab";
  CHECK_THAT(choices_text(request), Contains("session") && Contains("always"));
  request.subject += "\n# ./tool k3j9x2ab";
  CHECK(choices_text(request) == "once; deny");
}

TEST_CASE("a long command is shortened in the middle, with its length, and follows in full") {
  const std::string command = "make " + std::string(1'000, 'a') + " install";
  const std::string text = question_text(asks_about(command));
  CHECK_THAT(first_line(text), StartsWith("make aaa") &&
                                   Contains(" ... [1013 bytes in all] ... ") &&
                                   Catch::Matchers::EndsWith("aaa install"));
  CHECK(first_line(text).size() < kLine + 40);
  CHECK_THAT(text, Contains("\nIn full: " + command + "\n"));
}

TEST_CASE("a command is never cut inside of a character") {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string command(shift, 'a');
    for (int i = 0; i < 300; ++i) command += "\xE2\x82\xAC";
    const std::string line = first_line(question_text(asks_about(command)));
    INFO(shift);
    CHECK_THAT(line, Contains("\xE2\x82\xAC ... [") && Contains("] ... \xE2\x82\xAC"));
    CHECK(printable(line, line.size() + 1) == line);
  }
}

TEST_CASE("a call without a command begins with what it is") {
  AskRequest request;
  request.tool = "open_buffer";
  request.effect = "call";
  request.arguments = R"({"path":"x"})";
  CHECK(question_text(request) == "open_buffer: path \"x\"\nTool: open_buffer");
  request.subject = "call open_buffer {\"path\":\"x\"}";
  CHECK(first_line(question_text(request)) == "open_buffer: path \"x\"");
  request.subject = "stdin shell {\"text\":\"y\"}";
  CHECK(first_line(question_text(request)) == request.subject);
}

TEST_CASE("what is typed is shown in words, as one text, where it may be shown") {
  AskRequest request;
  request.tool = "job";
  request.effect = "call";
  request.typed = true;
  request.subject = "call Xy1aB2c3";
  request.arguments = R"({"action":"keys","id":"Ab3xK9mZ","keys":"ls, id other<Enter>"})";
  CHECK(first_line(question_text(request)) ==
        "job: action \"keys\", id \"Ab3xK9mZ\", keys \"ls, id other<Enter>\"");
  request.arguments = "{}";
  CHECK(first_line(question_text(request)) == "job");
}

TEST_CASE("a start in another directory shows all that its approval is about") {
  AskRequest request = asks_about("make");
  request.subject = R"({"command":"make","cwd":"/srv"})";
  const std::string text = question_text(request);
  CHECK(first_line(text) == "make");
  CHECK_THAT(text, Contains("\nIn full: {\"command\":\"make\",\"cwd\":\"/srv\"}\n"));
}

TEST_CASE("each choice says what it covers") {
  AskRequest request = asks_about("git push origin main");
  request.prefix = "git push origin *";
  request.may_approve_rules = true;
  CHECK(choices_text(request) ==
        "once; session (exactly this command until the session ends); always (exactly this command "
        "in this workspace until you revoke it); prefix (every git push origin *); rule (what rule "
        "git.push asks about); deny");
  request.command.clear();
  CHECK_THAT(choices_text(request), Contains("always (the same call in this workspace"));
}
