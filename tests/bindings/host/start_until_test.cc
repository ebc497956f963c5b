// bg_start with `until`, which answers with the awaited fact or at once with the failure, and its
// other optional arguments.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Json until_of(const CallResult& result) {
  INFO(result.message);
  REQUIRE(result.ok);
  return Json::parse(result.data)["until"];
}

std::string state_of(Host& host, const std::string& id) {
  return host.data("bg_status", {{"id", id}})["processes"][0]["state"];
}

TEST_CASE("bg_start with until.line answers with the line, and the process goes on") {
  Host host(auto_mode());
  const CallResult result =
      host.call("bg_start", {{"command", "echo '   Local:   http://localhost:5173/ '; sleep 600"},
                             {"until", {{"line", "Local:"}}}});
  const Json until = until_of(result);
  CHECK(until["outcome"] == "ready");
  CHECK(until["kind"] == "line");
  const Json data = Json::parse(result.data);
  CHECK(contains(result.text, data["id"].get<std::string>() + " (pid "));
  CHECK(contains(result.text, ": Local: http://localhost:5173/"));
  CHECK(result.text.find('\n') == std::string::npos);
  CHECK(state_of(host, data["id"]) == "running");
}

TEST_CASE("bg_start with until answers at once with the failure and the lines that explain it") {
  Host host(auto_mode());
  const CallResult result =
      host.call("bg_start", {{"command", "seq 3000 | sed 's/^1501$/FATAL: no database/'; exit 3"},
                             {"until", {{"line", "never"}, {"timeout", 600000}}}});
  const Json until = until_of(result);
  CHECK(until["outcome"] == "failed");
  CHECK(until["exit_code"] == 3);
  CHECK(contains(result.text, "exit code 3 after"));
  CHECK(contains(result.text, "\n1501:FATAL: no database\n"));
  CHECK(contains(result.text, "3000-3000"));
  CHECK(result.text.size() < 700);
}

TEST_CASE("an exit with 0 before the line means not ready, and shows the output") {
  Host host(auto_mode());
  const CallResult result =
      host.call("bg_start", {{"command", "seq 30"}, {"until", {{"line", "never"}}}});
  CHECK(until_of(result)["outcome"] == "failed");
  CHECK(contains(result.text, " exited with 0 before it was ready, after "));
  CHECK(contains(result.text, "\n1\n2\n"));
}

TEST_CASE("what has ended is neither quiet nor waits for input, and is told once") {
  struct Row {
    std::string command;
    std::string text;
    std::string output;
  };
  const auto row = GENERATE(values<Row>({
      {"echo oops >&2; exit 3", ": exit code 3 after ", "oops"},
      {"git rebase -i HEAD", ": exit code 128 after ", "fatal: "},
      {"echo listed", " exited with 0 before it was ready, after ", "listed"},
  }));
  RuntimeOptions options = auto_mode();
  const TempDir nowhere;
  options.workspace = nowhere.path();
  options.state_dir = nowhere.path();
  options.mode = "dangerous";
  Host host(options);
  for (const Json& until :
       {Json{{"quiet", 60000}}, Json{{"input", true}}, Json{{"quiet", 60000}, {"input", true}}}) {
    CAPTURE(row.command, until.dump());
    CallRequest request;
    request.tool = "bg_start";
    request.arguments = Json{{"command", row.command}, {"until", until}}.dump();
    request.wants_backlog = true;
    std::optional<CallResult> result;
    host.runtime->call(request, [&](CallResult answer) { result = std::move(answer); });
    REQUIRE(host.until([&] { return result.has_value(); }));
    CHECK(until_of(*result)["outcome"] == "failed");
    CHECK(contains(result->text, row.text));
    const std::size_t at = result->text.find(row.output);
    REQUIRE(at != std::string::npos);
    CHECK(result->text.find(row.output, at + 1) == std::string::npos);
    for (const std::string& event : result->backlog) CHECK(event == "");
  }
}

TEST_CASE("when the wait limit comes first the process goes on, and the answer says so") {
  Host host(auto_mode());
  const CallResult result = host.call("bg_start", {{"command", "echo begun; sleep 600"},
                                                   {"until", {{"port", 1}, {"timeout", 50}}}});
  const Json until = until_of(result);
  CHECK(until["outcome"] == "not_ready");
  CHECK(contains(result.text, "not ready yet"));
  CHECK(contains(result.text, "port 1"));
  CHECK(state_of(host, Json::parse(result.data)["id"]) == "running");
}

TEST_CASE("until.exit answers with how it ended and what it printed") {
  Host host(auto_mode());
  const CallResult good =
      host.call("bg_start", {{"command", "seq 30"}, {"until", {{"exit", true}}}});
  CHECK(until_of(good)["kind"] == "exit");
  CHECK(contains(good.text, "exit 0 after"));
  CHECK(contains(good.text, "\n1\n2\n3\n"));
  CHECK(good.text.ends_with("\n29\n30"));
  const CallResult bad =
      host.call("bg_start", {{"command", "echo broken; exit 5"}, {"until", {{"exit", true}}}});
  CHECK(until_of(bad)["outcome"] == "failed");
  CHECK(contains(bad.text, "exit code 5 after"));
  CHECK(contains(bad.text, "broken"));
}

TEST_CASE("the call that a note names gets the lines between, and data have no note") {
  Host host(auto_mode());
  for (const char* command :
       {"seq 1000 1999", "seq 1000 1999 | sed 's/^/\\xff /'", "printf %05000d 0", "seq -s x 2000",
        "seq 500; seq 500 >&2; seq 500", "seq 1000 1500 | sed 's/$/\\r/'"}) {
    const CallResult result =
        host.call("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
    const std::string text = result.text;
    INFO(command << ": " << text << result.message);
    // U+FFFD has three bytes in place of one.
    CHECK(text.size() < (std::string(command).find("xff") == std::string::npos ? 2'200 : 4'500));
    const std::size_t note = text.find(" between: bg_output id=");
    REQUIRE(note != std::string::npos);
    const std::size_t from = text.find("from=", note) + 5;
    const std::string after = text.substr(text.find(']', note) + 2);
    const std::string id = Json::parse(result.data)["id"];
    std::string rest;
    for (Json next = std::stoi(text.substr(from)); !next.is_null();) {
      const Json read = host.data(
          "bg_output", {{"id", id}, {"stream", "merged"}, {"from", next}, {"max_chars", 8000}});
      rest += read["merged"].get<std::string>();
      next = read["more"] == true ? read["next"] : Json();
    }
    // What the call gives ends with what the answer showed.
    CHECK(rest.size() > after.size());
    CHECK(contains(rest, after));
    const std::string shown = until_of(result)["output"];
    CHECK_FALSE(contains(shown, "between"));
    CHECK(contains(rest, shown));
  }
}

TEST_CASE("until.line shows the match of a long line") {
  Host host(auto_mode());
  const CallResult result =
      host.call("bg_start", {{"command", "printf '%04000d ready on 80 %04000d\\n' 0 0; sleep 600"},
                             {"until", {{"line", "ready on [0-9]+"}}}});
  CHECK(contains(result.text, "0 ready on 80 0"));
  CHECK(result.text.size() < 400);
}

TEST_CASE("an end names what it has left behind, with its port") {
  const TempDir dir;
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";  // the fixture is outside the workspace
  options.workspace = dir.path();
  Host host(options);
  const CallResult result = host.call(
      "bg_start", {{"command", "nohup " + fixture("http_server") +
                                   " 204 >out 2>&1 & until grep -q port out; do sleep 0.02; done"},
                   {"until", {{"exit", true}}}});
  CHECK(contains(result.text, "exit 0 after"));
  CHECK(contains(result.text, "[left behind: fixture_http_se (pid "));
  CHECK(contains(result.text, "; bg_kill id=" + Json::parse(result.data)["id"].get<std::string>()));
}

TEST_CASE("until.http and until.quiet answer with what came true") {
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";  // the fixture is outside the workspace
  Host host(options);
  const CallResult server = host.call("bg_start", {{"command", fixture("http_server") + " 204"},
                                                   {"until", {{"line", "^port \\d+$"}}}});
  const std::string port = until_of(server)["line"].get<std::string>().substr(5);
  const std::string url = "http://127.0.0.1:" + port + "/up";
  // The program that answers is another run's.
  const CallResult foreign =
      host.call("bg_start", {{"command", "sleep 600"}, {"until", {{"http", url}}}});
  CHECK(until_of(foreign)["outcome"] == "failed");
  CHECK(contains(foreign.text, "cannot get ready: port " + port + " is that of fixture_http_se"));
  CHECK(contains(
      host.call("bg_start", {{"command", "sleep 600"}, {"until", {{"port", std::stoi(port)}}}})
          .text,
      "cannot get ready: port " + port));
  // The next server takes the port that the first one had.
  host.call("bg_kill", {{"id", Json::parse(server.data)["id"]}});
  const CallResult answered =
      host.call("bg_start", {{"command", "PORT=" + port + " " + fixture("http_server") + " 204"},
                             {"until", {{"http", url}}}});
  CHECK(until_of(answered)["status"] == 204);
  CHECK(contains(answered.text, url + " answered 204"));
  const CallResult quiet = host.call(
      "bg_start", {{"command", "printf 'name: '; sleep 600"}, {"until", {{"quiet", 50}}}});
  CHECK(until_of(quiet)["kind"] == "quiet");
  CHECK(contains(quiet.text, "\nname: "));
}

TEST_CASE("until removes the time limit of its run except for exit, and the answer names a limit") {
  RuntimeOptions options = auto_mode();
  const TempDir dir;
  options.config_file =
      dir.write("gibbous.lua", "return { limits = { default_timeout_ms = 300 } }");
  Host host(options);
  const Json line = {{"line", "up"}};
  const std::string command = "echo up; sleep 600";
  const CallResult server = host.call("bg_start", {{"command", command}, {"until", line}});
  CHECK_FALSE(contains(server.text, "it is ended after"));
  const CallResult limited =
      host.call("bg_start", {{"command", command}, {"until", line}, {"timeout", 600000}});
  CHECK(contains(limited.text, "; it is ended after 10m 00s"));
  const CallResult job = host.call("bg_start", {{"command", command}, {"until", {{"exit", true}}}});
  CHECK(contains(job.text, "timed out after"));
  CHECK(state_of(host, Json::parse(server.data)["id"]) == "running");
}

TEST_CASE("an end that until reports is not reported again") {
  const TempDir state;  // where no other test has left events
  RuntimeOptions options = auto_mode();
  options.state_dir = state.path();
  Host host(options);
  CallRequest request{"bg_start", Json({{"command", "exit 3"}, {"until", {{"line", "x"}}}}).dump(),
                      "s"};
  request.wants_backlog = true;
  std::optional<CallResult> result;
  host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  CHECK(result->backlog == std::vector<std::string>{});
}

TEST_CASE("a wrong until starts nothing and is explained with the names of the arguments") {
  Host host(auto_mode());
  struct Row {
    Json until;
    const char* message;
  };
  const Row rows[] = {
      {Json::object(), "args.until: expected line, port, http, exit, quiet or input"},
      {{{"timeout", 5}}, "args.until: expected line, port, http, exit, quiet or input"},
      {{{"line", "("}}, "args.until.line: missing )"},
      {{{"http", "gopher://x"}}, "args.until.http: expected http://"},
      {{{"port", 70000}}, "args.until.port: expected integer from 1 to 65535"},
      {{{"lines", "x"}}, "args.until.lines: unknown field; did you mean \"line\"?"},
  };
  for (const Row& row : rows) {
    INFO(row.until.dump());
    const CallResult result =
        host.call("bg_start", {{"command", "sleep 600"}, {"until", row.until}});
    CHECK(result.code == "invalid_arguments");
    CHECK(contains(result.message, row.message));
  }
  CHECK(host.data("bg_status", Json::object())["processes"].empty());
}

TEST_CASE("a start that is cancelled while it waits leaves nothing behind") {
  Host host(auto_mode());
  const std::string word = unique_word();
  std::optional<CallResult> result;
  const Json args = {{"command", "setsid sleep 600 & : " + word + "; sleep 600"},
                     {"until", {{"line", "never"}}}};
  const CallId call = host.runtime->call({"bg_start", args.dump(), ""},
                                         [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return host.saw_event("run_started"); }));
  REQUIRE(host.runtime->cancel(call));
  REQUIRE(host.until([&] { return result.has_value() && host.saw_event("run_ended"); }));
  CHECK(result->code == "cancelled");
  CHECK(processes_with(word).empty());
}

TEST_CASE("a start that waits survives a reload") {
  Host host(auto_mode());
  const TempDir dir;
  const std::string go = dir.path() + "/go";
  std::optional<CallResult> result;
  const Json args = {
      {"command", "until [ -e " + go + " ]; do sleep 0.05; done; echo up; sleep 600"},
      {"until", {{"line", "^up$"}}}};
  host.runtime->call({"bg_start", args.dump(), ""},
                     [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return host.saw_event("run_started"); }));
  REQUIRE(host.runtime->reload().ok);
  dir.write("go", "");
  REQUIRE(host.until([&] { return result.has_value(); }));
  CHECK(until_of(*result)["outcome"] == "ready");
}

TEST_CASE("bg_start takes a directory, variables, a terminal and watchers") {
  RuntimeOptions options = auto_mode();
  const TempDir dir;
  options.workspace = dir.path();
  std::filesystem::create_directory(dir.path() + "/below");
  Host host(options);
  const CallResult placed = host.call("bg_start", {{"command", "pwd; echo \"$WORD\""},
                                                   {"cwd", "below"},
                                                   {"env", {{"WORD", "a b"}}},
                                                   {"until", {{"exit", true}}}});
  CHECK(contains(placed.text, "/below\na b"));
  const CallResult terminal =
      host.call("bg_start",
                {{"command", "test -t 0 && echo yes"}, {"pty", true}, {"until", {{"exit", true}}}});
  CHECK(contains(terminal.text, "yes"));
  host.data("bg_start", {{"command", "echo error 12; sleep 600"},
                         {"watch", {{{"regex", "error \\d+"}, {"event", "broken"}}}}});
  CHECK(host.until([&] { return host.saw_event("broken"); }));
  const CallResult wrong =
      host.call("bg_start", {{"command", "true"}, {"watch", {{{"regex", "("}, {"event", "x"}}}}});
  CHECK(contains(wrong.message, "args.watch[0].regex: missing )"));
  const CallResult nowhere = host.call("bg_start", {{"command", "true"}, {"cwd", "not/there"}});
  CHECK(nowhere.code == "start_failed");
  CHECK(contains(nowhere.message, "not/there"));
}

TEST_CASE("a watcher of bg_start may be a pattern, a preset by name, or a table") {
  Host host(auto_mode());
  host.data("bg_start",
            {{"command", "echo 'wrote 12 files'; sleep 600"}, {"watch", {"wrote \\d+"}}});
  CHECK(host.until([&] { return host.saw_event("match"); }));
  host.data("bg_start", {{"command", "echo 'Listening on http://localhost:1'; sleep 600"},
                         {"watch", {"ready"}}});
  CHECK(host.until([&] { return host.saw_event("ready"); }));
  const CallResult wrong = host.call("bg_start", {{"command", "true"}, {"watch", {"ok", "("}}});
  CHECK(contains(wrong.message, "args.watch[1].regex: missing )"));
}

TEST_CASE("the policy judges a command of bg_start in the directory that it asks for") {
  RuntimeOptions options = auto_mode();
  const TempDir dir;
  options.workspace = dir.path();
  options.mode = "plan";
  Host host(options);
  const CallResult inside = host.call("bg_start", {{"command", "ls"}});
  const CallResult outside = host.call("bg_start", {{"command", "rm x"}, {"cwd", "/etc"}});
  CHECK(inside.code == "denied");
  CHECK(outside.code == "denied");
  options.mode = "auto";
  Host free(options);
  CHECK(free.call("bg_start", {{"command", "rm -rf x"}}).ok);
  CHECK_FALSE(free.call("bg_start", {{"command", "rm -rf x"}, {"cwd", "/etc"}}).ok);
}

TEST_CASE("commands of the same serial run one after another, and answers name the one before") {
  RuntimeOptions options = auto_mode();
  const TempDir dir;
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  Host host(options);
  const CallResult first = host.call(
      "bg_start",
      {{"command", "echo one; sleep 600"}, {"serial", "q"}, {"until", {{"line", "one"}}}});
  CHECK(until_of(first)["outcome"] == "ready");
  const std::string id = Json::parse(first.data)["id"];
  const CallResult second =
      host.call("bg_start", {{"command", "echo two"}, {"serial", "q"}, {"label", "second"}});
  CHECK(contains(second.text, "waits for run " + id));
  const CallResult third = host.call(
      "bg_start",
      {{"command", "echo three"}, {"serial", "q"}, {"until", {{"exit", true}, {"timeout", 50}}}});
  CHECK(until_of(third)["state"] == "queued");
  CHECK(contains(third.text, "not started yet: it waits for run "));
  CHECK(host.call("bg_start", {{"command", "true"}, {"until", {{"exit", true}}}}).ok);
  host.data("bg_kill", {{"id", id}});
  CHECK(host.call("wait_for", {{"id", "second"}, {"exit", true}}).ok);
}

}  // namespace
}  // namespace gibbous::testing
