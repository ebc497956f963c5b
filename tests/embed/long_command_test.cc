// Long command lines are analysed beside the loop: the verdict is the same, and what happens
// meanwhile counts.
#include <optional>
#include <string>
#include <vector>

#include "runtime/journal/journal_reader.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Host;
using testing::TempDir;

// A line of this many bytes that ends with `last`.
std::string long_line(std::size_t bytes, const std::string& last) {
  std::string line;
  while (line.size() < bytes) line += "echo one two; ";
  return line + last;
}

std::string here_document(std::size_t bytes) {
  return "cat <<'END' | tail -1\n" + std::string(bytes, 'x') + "\nlast line\nEND";
}

Json command(const std::string& line) {
  return {{"command", line}};
}

TEST_CASE("long: a here document of 60 KB runs as it is") {
  Host host(auto_mode());
  const std::string run = host.start(here_document(60'000));
  host.data("wait_for", {{"id", run}, {"exit", true}});
  CHECK_THAT(host.runtime->excerpt(run, 100).value(), Contains("last line"));
}

TEST_CASE("long: what is denied at the end of a line is denied, in a call and in a start") {
  RuntimeOptions options = auto_mode();
  options.files["scripts/init.lua"] =
      "return { toolsets = { require 'toolsets.bg', { name = 'mine', tools = { tool {"
      "  name = 'try', description = 'Tries.', permission = 'execute', run = function()"
      "    local h, err = run.start { command = ('echo one; '):rep(300) .. 'rm -rf /' }"
      "    return h and 'started' or err.code"
      "  end } } } } }";
  Host host(options);
  const CallResult denied = host.call("bg_start", command(long_line(4'000, "rm -rf /")));
  CHECK(denied.code == "denied");
  CHECK_THAT(denied.message, Contains("machine.remove_root"));
  CHECK(host.call("try", Json::object()).text == "denied");
}

TEST_CASE("long: a question about it comes, is withdrawn with its call, and its answer counts") {
  Host host(auto_mode());
  std::vector<AskRequest> asked;
  std::vector<std::string> withdrawn;
  host.runtime->on_ask([&](AskRequest ask) { asked.push_back(std::move(ask)); },
                       [&](const std::string& id) { withdrawn.push_back(id); });
  const CallRequest request{"bg_start",
                            command(long_line(4'000, "git push --force origin main")).dump()};
  std::optional<CallResult> result;
  const auto keep = [&](const CallResult& ended) { result = ended; };
  const CallId cancelled = host.runtime->call(request, keep);
  REQUIRE(host.until([&] { return asked.size() == 1; }));
  host.runtime->cancel(cancelled);
  REQUIRE(host.until([&] { return result && withdrawn.size() == 1; }));
  CHECK(result->code == "cancelled");
  result.reset();
  host.runtime->call(request, keep);
  REQUIRE(host.until([&] { return asked.size() == 2; }));
  asked[1].answer(false, "not now");
  REQUIRE(host.until([&] { return result.has_value(); }));
  CHECK_THAT(result->message, Contains("not now"));
}

TEST_CASE(
    "long: calls that are cancelled, or whose runtime is closed, while it is analysed end once") {
  Host host(auto_mode());
  const std::string arguments = command(long_line(60'000, "true")).dump();
  int ended = 0;
  const auto count = [&](const CallResult& result) {
    ++ended;
    CHECK_FALSE(result.ok);
  };
  for (int i = 0; i < 4; ++i) {
    const CallId call = host.runtime->call({"bg_start", arguments}, count);
    if (i % 2 == 1) host.runtime->poll();
    host.runtime->cancel(call);
  }
  REQUIRE(host.until([&] { return ended == 4; }));
  for (int i = 0; i < 4; ++i) {
    host.runtime->call({"bg_start", arguments}, count);
    host.runtime->poll();
  }
  bool closed = false;
  host.runtime->close([&] { closed = true; });
  REQUIRE(host.until([&] { return closed; }));
  CHECK(ended == 8);
}

TEST_CASE("long: the policy that holds at the end decides, also when it changed meanwhile") {
  const auto policy = [](const std::string& decision) {
    return "return { modes = { auto = {} }, decide = function(effect)\n"
           "  return { decision = '" +
           decision + "', reason = 'the " + decision + " one', rule = 'none' }\nend }";
  };
  TempDir policies;
  policies.write("init.lua", policy("allow"));
  RuntimeOptions options = auto_mode();
  options.policies_dir = policies.path();
  Host host(options);
  std::optional<CallResult> result;
  host.runtime->call({"bg_start", command(long_line(60'000, "true")).dump()},
                     [&](const CallResult& ended) { result = ended; });
  host.runtime->poll();
  policies.write("init.lua", policy("deny"));
  REQUIRE(host.runtime->reload().ok);
  CHECK(host.call("bg_start", command(long_line(4'000, "true"))).code == "denied");
  REQUIRE(host.until([&] { return result.has_value(); }));
}

TEST_CASE("long: what a session requests behind it is decided behind it") {
  TempDir state;
  RuntimeOptions options = auto_mode();
  options.state_dir = state.path();
  Host host(options);
  std::size_t ended = 0;
  const auto call = [&](const std::string& line, const std::string& session) {
    CallRequest request{"bg_start", command(line).dump()};
    request.session = session;
    host.runtime->call(request, [&ended](const CallResult& result) {
      CHECK(result.ok);
      ++ended;
    });
  };
  call("true", "warm");
  REQUIRE(host.until([&] { return ended == 1; }));
  call(here_document(30'000), "a");
  call("true", "a");
  call("true", "b");
  REQUIRE(host.until([&] { return ended == 4; }));
  host.runtime.reset();  // writes what is left to the journal
  auto reader = JournalReader::open(options.state_dir);
  REQUIRE(reader.ok());
  DecisionFilter of_session;
  of_session.session = "a";
  const auto decisions = (*reader)->decisions(of_session, 10);
  REQUIRE(decisions.ok());
  REQUIRE(decisions->size() == 4);  // each call, and its start
  CHECK_THAT((*decisions)[0].record_json, Contains("cat <<"));
}

TEST_CASE("long: a line that no program can be given is refused at once, with the way out") {
  Host host(auto_mode());
  const CallResult refused = host.call("bg_start", command(std::string(131'072, ' ')));
  CHECK(refused.code == "invalid_arguments");
  CHECK_THAT(refused.message,
             Contains("args.command") && Contains("131071") && Contains("write it to a file"));
  const CallResult largest = host.call("bg_start", command("true " + std::string(131'066, 'x')));
  CHECK(largest.code != "invalid_arguments");
}

}  // namespace
}  // namespace gibbous
