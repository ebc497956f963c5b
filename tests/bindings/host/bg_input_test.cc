// bg_input: typing into processes, and what it answers.
#include <optional>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

// Every key is allowed, because these tests are not about the policy.
RuntimeOptions dangerous() {
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  return options;
}

std::string start(Host& host, const std::string& command) {
  const CallResult result =
      host.call("bg_start", {{"command", command}, {"pty", true}, {"until", {{"input", true}}}});
  INFO(result.message);
  REQUIRE(result.ok);
  CHECK(contains(result.text, "waits for input"));
  return Json::parse(result.data)["id"];
}

TEST_CASE("bg_input answers once the program asks again, with what it printed and no echo") {
  Host host(dangerous());
  const std::string id = start(
      host, "printf 'name? '; read name; sleep 0.3; echo hello $name; printf 'age? '; read age");
  const CallResult answer = host.call("bg_input", {{"id", id}, {"keys", "bob<Enter>"}});
  INFO(answer.message);
  CHECK(answer.text == "hello bob\nage? ");
  CHECK(Json::parse(answer.data)["waiting_for_input"] == true);
}

TEST_CASE("bg_input reports the end that its keys caused, once") {
  Host host(dangerous());
  CallRequest request{
      "bg_start",
      Json({{"command", "read x; exit 5"}, {"pty", true}, {"until", {{"input", true}}}}).dump(),
      "s"};
  std::optional<CallResult> result;
  host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  const std::string id = Json::parse(result->data)["id"];
  result.reset();
  CallRequest typed{"bg_input", Json({{"id", id}, {"keys", "x<Enter>"}}).dump(), "s"};
  typed.wants_backlog = true;
  host.runtime->call(typed, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  CHECK(contains(result->text, "[" + id + ": exit code 5]"));
  CHECK(result->backlog.empty());
  const CallResult late = host.call("bg_input", {{"id", id}, {"keys", "y"}}, "s");
  CHECK(late.code == "not_running");
}

TEST_CASE("bg_input says that there is no prompt yet while the program is silent") {
  Host host(dangerous());
  const std::string id = start(host, "read x; sleep 600");
  const CallResult answer = host.call("bg_input", {{"id", id}, {"keys", "go<Enter>"}});
  CHECK(contains(answer.text, "[no prompt yet]"));
  CHECK(Json::parse(answer.data)["waiting_for_input"] == false);
}

TEST_CASE("bg_input answers with the rows that changed of a program that draws its screen") {
  Host host(dangerous());
  const std::string id =
      start(host,
            "printf '\\033[?1049h\\033[2J\\033[1;1Htop\\033[5;1Hmiddle'; read x; "
            "printf '\\033[5;1Hchanged'; read y");
  const CallResult answer = host.call("bg_input", {{"id", id}, {"keys", "<Enter>"}});
  CHECK(contains(answer.text, "5: changed"));
  CHECK_FALSE(contains(answer.text, "top"));
}

TEST_CASE("bg_input names wrong arguments") {
  Host host(dangerous());
  const CallResult unknown = host.call("bg_input", {{"id", "nobody00"}, {"keys", "x"}});
  CHECK(unknown.code == "run_not_found");
  const CallResult deaf = host.call("bg_input", {{"id", host.start("sleep 600")}, {"keys", "x"}});
  CHECK(deaf.code == "no_terminal");
  CHECK(contains(deaf.message, "pty=true"));
  const std::string id = start(host, "read x; read y");
  const CallResult key = host.call("bg_input", {{"id", id}, {"keys", "<Entre>"}});
  CHECK(key.code == "invalid_arguments");
  CHECK(contains(key.message, "Enter"));
}

TEST_CASE("a cancelled bg_input does not affect the process") {
  Host host(dangerous());
  const std::string id = start(host, "read x; while :; do echo tick; sleep 0.1; done");
  bool done = false;
  CallResult answer;
  const CallId call = host.runtime->call(
      {"bg_input", Json({{"id", id}, {"keys", "go<Enter>"}}).dump(), ""}, [&](CallResult got) {
        answer = std::move(got);
        done = true;
      });
  REQUIRE(host.call("wait_for", {{"id", id}, {"output_regex", "tick"}}).ok);
  REQUIRE(host.runtime->cancel(call));
  REQUIRE(host.until([&] { return done; }));
  CHECK(answer.code == "cancelled");
  CHECK(host.data("bg_status", {{"id", id}})["processes"][0]["state"] == "running");
}

TEST_CASE("a program that handled an interrupt and ends by its own is not called killed") {
  Host host(dangerous());
  const std::string id =
      start(host,
            "exec sh -c 'trap \"echo caught\" INT; read line; echo; read line; trap - INT; "
            "kill -INT $$'");
  const CallResult caught = host.call("bg_input", {{"id", id}, {"keys", "<C-c>"}});
  CHECK(contains(caught.text, "caught"));
  const CallResult ended = host.call("bg_input", {{"id", id}, {"keys", "<Enter><Enter>"}});
  CHECK(contains(ended.text, "exited, after a <C-c> that it handled"));
  CHECK(Json::parse(ended.data)["state"] == "completed");
  const std::string other = start(host, "exec cat");
  CHECK(contains(host.call("bg_input", {{"id", other}, {"keys", "<C-c>"}}).text, "SIGINT"));
}

TEST_CASE("a process that is waited for until it asks can be typed into without a terminal") {
  Host host(dangerous());
  const CallResult asks = host.call("bg_start", {{"command", "printf 'name? '; read n; echo hi $n"},
                                                 {"until", {{"input", true}}}});
  CHECK(contains(asks.text, "waits for input"));
  const std::string id = Json::parse(asks.data)["id"];
  CHECK(contains(host.call("bg_input", {{"id", id}, {"keys", "bob<Enter>"}}).text, "hi bob"));
  // Without that, a program that reads its stdin meets its end.
  const CallResult ends = host.call("bg_start", {{"command", "cat"}, {"until", {{"exit", true}}}});
  CHECK(contains(ends.text, "exit 0"));
}

TEST_CASE("a run without a terminal gets variables that make programs write at once") {
  Host host(dangerous());
  const auto printed = [&](Json args) {
    args["command"] = "echo value=$PYTHONUNBUFFERED.";
    args["until"] = {{"exit", true}};
    return host.call("bg_start", args).text;
  };
  CHECK(contains(printed({}), "value=1."));
  CHECK(contains(printed({{"env", {{"PYTHONUNBUFFERED", ""}}}}), "value=."));
}

TEST_CASE("wait_for waits until a process asks, and names the prompt") {
  Host host(dangerous());
  const std::string id = Json::parse(
      host.call("bg_start", {{"command", "sleep 0.3; printf 'ok? '; read x"}, {"pty", true}})
          .data)["id"];
  const CallResult answer = host.call("wait_for", {{"id", id}, {"input", true}});
  CHECK(contains(answer.text, id + " waits for input: ok?"));
}

}  // namespace
}  // namespace gibbous::testing
