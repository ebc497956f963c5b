// exit, regex and quiet, with real children.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "runtime/base/random_id.h"
#include "tests/runtime/wait/harness.h"

namespace gibbous {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests

TEST_CASE("exit fires when the run ends, and for one that has ended already") {
  House house;
  Run& run = house.sh("read line; exit 3");
  std::optional<WaitResult> result;
  house.begin({{on_exit(run)}, false, std::nullopt}, result);
  house.say(run, "go\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kFired);
  REQUIRE(result->fired.size() == 1);
  CHECK(result->fired[0].condition == 0);
  CHECK(result->fired[0].run == run.id());
  CHECK(run.exit_status()->code == 3);
  CHECK(house.wait(on_exit(run)).end == WaitEnd::kFired);
}

TEST_CASE("exit fires for a run that is killed while it is queued") {
  RunLimits limits;
  limits.max_concurrent = 1;
  House house(limits);
  Run& first = house.sh("read line");
  RunSpec spec;
  spec.command = "true";
  spec.queue_when_full = true;
  auto queued = house.runs->start(std::move(spec), nullptr);
  REQUIRE(queued.ok());
  std::optional<WaitResult> result;
  house.begin({{on_exit(**queued)}, false, std::nullopt}, result);
  house.runs->kill(**queued, SIGTERM, std::nullopt, nullptr);
  CHECK_FALSE(result.has_value());  // from the loop
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kFired);
  house.kill(first);
}

TEST_CASE("regex fires for an earlier line and for a later one") {
  House house;
  Run& run = house.sh("echo server listening on port 3000; read line; echo second line");
  const WaitResult later = house.wait(on_regex(run, "port (\\d+)"));
  REQUIRE(later.end == WaitEnd::kFired);
  CHECK(later.fired[0].line == "server listening on port 3000");
  CHECK(later.fired[0].captures == std::vector<std::string>{"3000"});
  CHECK(later.fired[0].stream == StreamId::kStdout);
  CHECK(later.fired[0].cursor == 30);
  CHECK(house.wait(on_regex(run, "listening")).end == WaitEnd::kFired);

  Condition from_cursor = on_regex(run, "l");
  from_cursor.stream = StreamId::kStdout;
  from_cursor.since = later.fired[0].cursor;
  std::optional<WaitResult> result;
  house.begin({{from_cursor}, false, std::nullopt}, result);
  house.say(run, "go\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->fired.at(0).line == "second line");
}

TEST_CASE("regex searches both streams, or the one that is named") {
  House house;
  Run& run = house.sh("echo oops >&2; echo fine; read line");
  const WaitResult any = house.wait(on_regex(run, "oops"));
  CHECK(any.fired.at(0).stream == StreamId::kStderr);
  Condition only_stdout = on_regex(run, "oops");
  only_stdout.stream = StreamId::kStdout;
  house.say(run, "end\n");
  const WaitResult result = house.wait(only_stdout);
  CHECK(result.end == WaitEnd::kImpossible);
  CHECK(result.message ==
        "run " + run.id() + " exited with 0 before a line of stdout matched \"oops\"");
  CHECK(result.tail == "[stdout]\nfine\n[stderr]\noops");
}

TEST_CASE("an offset without a stream is one of stdout") {
  House house;
  Run& run = house.sh("echo same; echo same >&2; read line");
  house.wait(WaitSpec{{on_regex(run, "same")}, true, std::nullopt});
  Condition since = on_regex(run, "same");
  since.since = 5;
  std::optional<WaitResult> result;
  house.begin({{since}, false, std::nullopt}, result);
  house.say(run, "end\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kImpossible);
}

TEST_CASE("regex finds a prompt without a line end") {
  House house;
  Run& run = house.sh("printf 'welcome\\nReady> '; read line");
  const WaitResult result = house.wait(on_regex(run, "^Ready> $"));
  REQUIRE(result.end == WaitEnd::kFired);
  CHECK(result.fired[0].line == "Ready> ");
  CHECK(result.fired[0].cursor == 15);
}

TEST_CASE("regex finds a progress line that never pauses and never ends") {
  House house;
  Run& run = house.program("chatter", {"progress"});
  CHECK(house.wait(on_regex(run, "step \\d+$")).end == WaitEnd::kFired);
  house.kill(run);
}

TEST_CASE("the last output of a run counts before its end") {
  House house;
  for (const char* ending : {"", "\\n"}) {
    CAPTURE(ending);
    for (int round = 0; round < 20; ++round) {
      Run& run = house.sh(std::string("printf 'last words") + ending + "'");
      const WaitResult result =
          house.wait(WaitSpec{{on_exit(run), on_regex(run, "last words")}, false, std::nullopt});
      REQUIRE(result.end == WaitEnd::kFired);
      CHECK(result.fired.at(0).condition == 1);
    }
  }
}

TEST_CASE("regex waits for output of processes left behind") {
  House house;
  const TempDir directory;
  const std::string gate = directory.path() + "/gate";
  REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
  Run& run = house.sh("(read line <" + gate + "; echo from behind; exec sleep 600) & exit 0");
  std::optional<WaitResult> fires;
  std::optional<WaitResult> fails;
  house.begin({{on_regex(run, "from behind")}, false, std::nullopt}, fires);
  house.begin({{on_regex(run, "never")}, false, std::nullopt}, fails);
  house.until_ended(run);
  house.loop.run_for(Millis{50});
  CHECK_FALSE(fires.has_value());
  CHECK_FALSE(fails.has_value());
  std::ofstream(gate) << "go\n";
  REQUIRE(house.loop.until([&] { return fires.has_value(); }));
  CHECK(fires->end == WaitEnd::kFired);
  CHECK_FALSE(fails.has_value());
  house.kill(run);
  REQUIRE(house.loop.until([&] { return fails.has_value(); }));
  CHECK(fails->end == WaitEnd::kImpossible);
}

TEST_CASE("a run that ends without the line fails the wait at once, with the tail of its output") {
  House house;
  Run& run =
      house.sh("for i in $(seq 30); do echo line $i; done; printf '\\033[31mno\\033[0m'; exit 1");
  const WaitResult result = house.wait(on_regex(run, "Ready"), Millis{10'000});
  CHECK(result.end == WaitEnd::kImpossible);
  CHECK(result.run == run.id());
  CHECK(result.message ==
        "run " + run.id() + " ended (exit code 1) before a line matched \"Ready\"");
  CHECK(result.tail.substr(0, 15) == "line 12\nline 13");
  CHECK(has(result.tail, "line 30\nno"));
  CHECK(result.fired.empty());
}

TEST_CASE("regex searches the kept part of a flood and says what was lost") {
  RunLimits limits;
  limits.max_buffer_bytes = 4096;
  limits.head_bytes = 100;
  House house(limits);
  Run& run = house.sh("seq 100000; echo found at last");
  house.until_ended(run);
  CHECK(house.wait(on_regex(run, "found at last")).end == WaitEnd::kFired);
  const WaitResult lost = house.wait(on_regex(run, "^50000$"));
  CHECK(lost.end == WaitEnd::kImpossible);
  CHECK(has(lost.message, "bytes of its output were dropped before they could be searched"));
}

TEST_CASE("regex finds a line in a flood that exceeds the buffer") {
  House house;
  Run& run = house.sh("read line; seq 400000");
  std::optional<WaitResult> result;
  house.begin({{on_regex(run, "^200000$")}, false, std::nullopt}, result);
  house.say(run, "go\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kFired);
}

TEST_CASE("reported lines and captures are bounded and valid UTF-8") {
  House house;
  Run& run = house.sh("printf 'x'; for i in $(seq 5000); do printf '\\303\\251'; done; echo end");
  const WaitResult result = house.wait(on_regex(run, "^x(.*)end$"));
  REQUIRE(result.end == WaitEnd::kFired);
  CHECK(result.fired[0].line.size() <= kMaxReportedLineBytes);
  CHECK(result.fired[0].captures[0].size() == kMaxReportedLineBytes);
}

TEST_CASE("quiet counts from the last output") {
  constexpr Millis kQuiet{150};
  House house;
  Run& run = house.sh("read line; echo more; read line");
  std::optional<WaitResult> result;
  house.begin({{on_quiet(run, kQuiet)}, false, std::nullopt}, result);
  house.say(run, "go\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kFired);
  CHECK(run.stream(StreamId::kStdout).end() > 0);
  CHECK(house.clock.now() - run.last_output() >= kQuiet);
  // It has been quiet for a while, so the wait is over at once.
  CHECK(house.wait(on_quiet(run, Millis{50}), Millis{40}).end == WaitEnd::kFired);
}

TEST_CASE("quiet does not come while a run keeps writing") {
  House house;
  Run& run = house.program("chatter", {"lines"});
  const WaitResult result = house.wait(on_quiet(run, Millis{200}), Millis{600});
  CHECK(result.end == WaitEnd::kTimeout);
  CHECK(has(result.message, "timed out after 0.6s before run " + run.id() + " was quiet for 0.2s"));
  CHECK(has(result.tail, "line "));
  house.kill(run);
}

TEST_CASE("quiet does not take a busy loop for a silent run") {
  constexpr Millis kQuiet{100};
  House house;
  Run& run = house.program("chatter", {"lines"});
  std::optional<WaitResult> result;
  house.begin({{on_quiet(run, kQuiet)}, false, std::nullopt}, result);
  ::usleep(300'000);  // the loop must not turn, which is what this tests
  house.loop.run_for(Millis{50});
  CHECK_FALSE(result.has_value());
  house.kill(run);
}

Condition on_input(const Run& run) {
  Condition condition;
  condition.kind = ConditionKind::kInput;
  condition.run = run.id();
  return condition;
}

TEST_CASE("input fires when a run is silent and waits for its stdin, with the prompt") {
  House house;
  Run& run = house.sh("sleep 0.3; printf 'name? '; read name; echo $name; sleep 600");
  const WaitResult result = house.wait(on_input(run));
  REQUIRE(result.end == WaitEnd::kFired);
  CHECK(result.fired[0].line == "name? ");
  CHECK(result.fired[0].pid == run.pid());
  house.say(run, "bob\n");
  CHECK(house.wait(on_input(run), Millis{500}).end == WaitEnd::kTimeout);
  house.kill(run);
}

TEST_CASE("input does not fire for a run that has not read its input yet") {
  House house;
  Run& run = house.sh("while read line; do echo \"$line\"; sleep 0.3; done");
  REQUIRE(house.wait(on_input(run)).end == WaitEnd::kFired);
  house.say(run, "one\ntwo\n");
  REQUIRE(house.wait(on_input(run)).end == WaitEnd::kFired);
  CHECK(run.stream(StreamId::kStdout).end() == std::string("one\ntwo\n").size());
  house.kill(run);
}

TEST_CASE("input fails when the run ends, and survives the run's being forgotten") {
  House house;
  Run& run = house.sh("exit 4");
  const WaitResult result = house.wait(on_input(run));
  CHECK(result.end == WaitEnd::kImpossible);
  CHECK(has(result.message, "exit code 4"));
}

TEST_CASE("quiet fails when nothing of the run lives, and says how the run ended") {
  struct Row {
    const char* command;
    const char* message;
  };
  const auto row = GENERATE(values<Row>({
      {"echo done", "exited with 0 before run "},
      {"echo oops; exit 3", "ended (exit code 3) before run "},
      {"kill -9 $$", "ended (killed by SIGKILL) before run "},
  }));
  House house;
  Run& run = house.sh(row.command);
  const WaitResult result = house.wait(on_quiet(run, Millis{60'000}));
  CHECK(result.end == WaitEnd::kImpossible);
  CHECK(has(result.message, std::string("run ") + run.id() + " " + row.message));
  // The same for a wait that begins afterwards.
  house.until_ended(run);
  CHECK(house.wait(on_quiet(run, Millis{1})).end == WaitEnd::kImpossible);
}

TEST_CASE("quiet fires for a daemon whose starter has ended") {
  House house;
  Run& run = house.sh("sleep 600 > /dev/null 2>&1 & exit 3");
  CHECK(house.wait(on_quiet(run, Millis{20})).end == WaitEnd::kFired);
  house.kill(run);
}

Condition on_newer(const Run& run, std::string pattern, Offset out, Offset err = 0) {
  Condition condition = on_regex(run, std::move(pattern));
  condition.behind = {out, err};
  return condition;
}

TEST_CASE("of the lines behind the marks the newest counts, with its age, else the next one") {
  House house;
  Run& run = house.sh("echo 0 old; echo 1 old; read line; echo 2 new; echo 3 new >&2; read line");
  house.wait(on_regex(run, "1 old"));
  const WaitResult newest = house.wait(on_newer(run, "^(\\d) (old|new)$", 0));
  REQUIRE(newest.end == WaitEnd::kFired);
  CHECK(newest.fired[0].captures[0] == "1");
  CHECK(newest.fired[0].age.has_value());
  const Offset known = newest.fired[0].cursor;
  std::optional<WaitResult> next;
  house.begin({{on_newer(run, "^(\\d) (old|new)$", known)}, false, std::nullopt}, next);
  house.loop.run_for(Millis{50});
  CHECK_FALSE(next.has_value());
  house.say(run, "go\n");
  REQUIRE(house.loop.until([&] { return next.has_value(); }));
  REQUIRE(next->end == WaitEnd::kFired);
  CHECK(next->fired[0].captures[1] == "new");
  CHECK_FALSE(next->fired[0].age.has_value());
  // Each stream has its own mark.
  house.wait(on_regex(run, "3 new"));
  const WaitResult err = house.wait(on_newer(run, "new", run.stream(StreamId::kStdout).end()));
  REQUIRE(err.end == WaitEnd::kFired);
  CHECK(err.fired[0].line == "3 new");
  house.kill(run);
}

TEST_CASE("a vain wait for a newer line names the newest older one") {
  House house;
  Run& run = house.sh("echo first; echo Found 0 errors.; echo other; read line");
  house.wait(on_regex(run, "other"));
  const Offset end = run.stream(StreamId::kStdout).end();
  const WaitResult late = house.wait(on_newer(run, "Found|first", end), Millis{20});
  CHECK(late.end == WaitEnd::kTimeout);
  CHECK(late.older);
  CHECK(has(late.message, "(last: \"Found 0 errors.\", "));
  house.kill(run);
  const WaitResult never = house.wait(on_newer(run, "Found", end));
  CHECK(never.end == WaitEnd::kImpossible);
  CHECK(has(never.message, "(last: \"Found 0 errors.\", "));
  CHECK(house.wait(on_newer(run, "nonesuch", end)).seen == "");
}

TEST_CASE("exit, regex and quiet need a run") {
  House house;
  Run& run = house.sh("read line");
  Condition exit;
  CHECK(house.refused(exit).message() ==
        "condition 1 (exit): run: expected the id of a run, got \"\"");
  exit.run = "nonesuch";
  CHECK(house.refused(exit).code() == "run_not_found");
  exit.run = run.id().substr(0, kIdChars - 1) + "!";
  CHECK(has(house.refused(exit).message(), "did you mean \"" + run.id() + "\"?"));
  CHECK(has(house.refused(on_regex(run, "a(b")).message(),
            "condition 1 (regex): pattern: missing ): a(b"));
  CHECK(house.refused(on_quiet(run, Millis{0})).code() == "invalid_arguments");
}

}  // namespace
}  // namespace gibbous
