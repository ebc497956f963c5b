// stdout and stderr in the order in which they came, as the tools show them.
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

// Repeats each line that is typed, on stderr when it begins with "e".
constexpr const char* kRepeat =
    "while read line; do case $line in e*) echo $line >&2;; *) echo $line;; esac; done";

RuntimeOptions with_lean(const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.toolsets = {"lean", "bg", "wait"};
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  return options;
}

std::string start_repeating(Host& host) {
  return host.data("bg_start", {{"command", kRepeat}, {"until", {{"input", true}}}})["id"];
}

void print(Host& host, const std::string& id, const std::string& line) {
  const CallResult typed = host.call("bg_input", {{"id", id}, {"keys", line + "<Enter>"}});
  INFO(typed.message);
  REQUIRE_THAT(typed.text, Contains(line));
}

std::string output(Host& host, const std::string& id, Json args = Json::object()) {
  args["id"] = id;
  if (!args.contains("stream")) args["stream"] = "merged";
  const CallResult result = host.call("bg_output", args);
  INFO(result.message);
  REQUIRE(result.ok);
  return result.text;
}

TEST_CASE("bg_output gives both streams in the order in which they came") {
  const TempDir dir;
  Host host(with_lean(dir));
  const std::string id = start_repeating(host);
  for (const char* line : {"one", "e two", "three"}) print(host, id, line);
  CHECK(output(host, id) == "[merged]\none\ne two\nthree\n");
  print(host, id, "e four");
  print(host, id, "five");
  CHECK(output(host, id) == "[merged]\ne four\nfive\n");
  CHECK(output(host, id) == "[merged]\n");
  CHECK(output(host, id, {{"lines", 3}, {"since_last_read", false}}) ==
        "[merged]\nthree\ne four\nfive\n");
}

TEST_CASE("what was read merged was read of each stream, and the other way round") {
  const TempDir dir;
  Host host(with_lean(dir));
  const std::string id = start_repeating(host);
  for (const char* line : {"one", "e two"}) print(host, id, line);
  output(host, id);
  CHECK(output(host, id, {{"stream", "both"}}) == "[stdout]\n[stderr]\n");
  for (const char* line : {"three", "e four", "five"}) print(host, id, line);
  output(host, id, {{"stream", "both"}});
  CHECK(output(host, id) == "[merged]\n");
}

TEST_CASE("grep finds lines of both streams as one text") {
  const TempDir dir;
  Host host(with_lean(dir));
  const std::string id = start_repeating(host);
  for (const char* line : {"one", "e two", "three"}) print(host, id, line);
  CHECK(output(host, id, {{"grep", "t"}}) == "[merged]\n2:e two\n3:three\n");
}

TEST_CASE("merged output that is left out is named, with the call that reads it") {
  const TempDir dir;
  Host host(with_lean(dir));
  const std::string id = host.start("seq 5000; seq 5000 >&2; sleep 600");
  host.data("wait_for", {{"id", id}, {"output_regex", "^5000$"}, {"stream", "stderr"}});
  CHECK_THAT(output(host, id, {{"max_chars", 500}}),
             Contains(" bytes of merged skipped: offsets 0 to ") &&
                 Contains("; read them with stream=merged, from=0]") && Contains("\n4999\n5000\n"));
  CHECK_THAT(output(host, id, {{"from", 0}, {"max_chars", 500}}),
             Contains("[merged]\n1\n2\n") && Contains("read on with stream=merged, from="));
}

TEST_CASE("a flood on stdout does not take what stderr said from merged output") {
  const TempDir dir;
  Host host(with_lean(dir));
  // The second line of stderr is printed when memory has lost what was before it on stdout.
  const std::string id = host.start(
      "echo 'e one' >&2; seq 400000; echo 'e two' >&2; seq 400000; echo 'e three' >&2; sleep 600");
  host.data("wait_for", {{"id", id}, {"output_regex", "e three"}, {"stream", "stderr"}});
  const std::string first = output(host, id, {{"from", 0}, {"max_chars", 100000}});
  CHECK_THAT(first, Contains("e one\n"));
  const Json page = host.data(
      "bg_output", {{"id", id}, {"stream", "merged"}, {"from", 60000}, {"max_chars", 20000}});
  CHECK_THAT(page["merged"].get<std::string>(), Contains(" bytes of stdout not kept]\ne two\n["));
  CHECK(page["truncated"] == true);
  CHECK_FALSE(page["gaps"].empty());
}

TEST_CASE("the journal has the order of both streams too") {
  const TempDir dir;
  std::string id;
  {
    Host host(with_lean(dir));
    id = start_repeating(host);
    for (const char* line : {"one", "e two", "three"}) print(host, id, line);
  }
  Host host(with_lean(dir));
  CHECK(output(host, id) == "[merged]\none\ne two\nthree\n");
  CHECK(output(host, id, {{"grep", "two"}, {"context", 1}}) ==
        "[merged]\n1-one\n2:e two\n3-three\n");
  const Json args = {{"action", "output"}, {"id", id}};
  CHECK_THAT(host.call("job", args).text, Contains("one\ne two\nthree\n"));
}

TEST_CASE("in the journal, a very long line of one stream is not continued by the other") {
  const TempDir dir;
  std::string id;
  {
    Host host(with_lean(dir));
    // The end of the long line comes when its beginning has been recorded.
    const std::string command =
        std::string("printf '%070000d' 1; read line; printf '%0300d' 1; ") + kRepeat;
    id = host.data("bg_start", {{"command", command}, {"until", {{"input", true}}}})["id"];
    host.data("bg_input", {{"id", id}, {"keys", "<Enter>"}});
    host.data("wait_for", {{"id", id}, {"input", true}});
    for (const char* line : {"e one", "two"}) print(host, id, line);
  }
  Host host(with_lean(dir));
  CHECK(output(host, id, {{"grep", "one|two"}}) ==
        "[merged]\n2:e one\n3:two\n[1 line longer than 64 KiB: the beginning was searched]\n");
}

TEST_CASE("job gives both streams in the order in which they came") {
  const TempDir dir;
  Host host(with_lean(dir));
  const std::string id = start_repeating(host);
  for (const char* line : {"one", "e two", "three"}) print(host, id, line);
  const Json args = {{"action", "output"}, {"id", id}};
  CHECK_THAT(host.call("job", args).text, Contains("one\ne two\nthree\n"));
}

}  // namespace
}  // namespace gibbous::testing
