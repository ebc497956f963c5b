// What `gibbous top` shows and does, without a terminal.
#include "bindings/inspect/top/top.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using Catch::Matchers::Contains;
using gibbous::ItemType;
using gibbous::Status;
using gibbous::inspect::LiveRun;
using gibbous::inspect::OutputTail;
using gibbous::inspect::Presence;
using namespace gibbous::top;

namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr ScreenSize kSize{.rows = 8, .columns = 80};
const Key kDown{.kind = Key::Kind::kDown};
const Key kUp{.kind = Key::Kind::kUp};
const Key kEnter{.kind = Key::Kind::kEnter};

Key key(char character) {
  return {.kind = Key::Kind::kCharacter, .character = character};
}

LiveRun run(const std::string& id, const std::string& command, std::int64_t age, int cpu_ms,
            std::uint64_t rss) {
  LiveRun run;
  run.record.run_id = id;
  run.record.command = command;
  run.record.status = "running";
  run.record.queued_at = run.record.started_at = kNow - age;
  run.presence = Presence::kThere;
  run.usage.processes = 1;
  run.usage.cpu = std::chrono::milliseconds(cpu_ms);
  run.usage.rss_bytes = rss;
  return run;
}

// A is old and large, B is busy, C has the first name.
std::vector<LiveRun> three(int busy_ms = 0) {
  return {run("AAAA", "make", 9'000, 0, 3'000'000), run("BBBB", "node", 5'000, busy_ms, 2'000'000),
          run("CCCC", "awk", 1'000, 0, 1'000'000)};
}

std::string shown(const Top& top, const OutputTail* log = nullptr) {
  std::string text;
  for (const std::string& line : top.frame(kSize, log)) text += line + "\n";
  return text;
}

// The ids as they are listed, from the top.
std::string order(const Top& top) {
  const std::string text = shown(top);
  std::vector<std::pair<std::size_t, char>> places;
  for (const char* id : {"AAAA", "BBBB", "CCCC"}) places.emplace_back(text.find(id), *id);
  std::sort(places.begin(), places.end());
  std::string ids;
  for (const auto& [place, id] : places) ids += id;
  return ids;
}

std::string selected(const Top& top) {
  const std::string text = shown(top);
  const std::size_t at = text.find("\x1b[7m");
  return at == std::string::npos ? "" : text.substr(at + 4, 4);
}

}  // namespace

TEST_CASE("a key chooses the order of the list") {
  Top top(nullptr);
  top.take(three(), kNow);
  top.take(three(500), kNow + 1'000);
  CHECK(order(top) == "BAC");
  CHECK_THAT(shown(top), Contains("50%") && Contains("3 runs") && Contains("CPU*"));
  top.press(key('m'));
  CHECK(order(top) == "ABC");
  top.press(key('n'));
  CHECK(order(top) == "CAB");
  top.press(key('a'));
  CHECK(order(top) == "ABC");
  top.press(key('c'));
  CHECK(order(top) == "BAC");
}

TEST_CASE("the selection stays on its run, or on its row when the run has ended") {
  Top top(nullptr);
  top.take(three(), kNow);
  CHECK(selected(top) == "AAAA");
  top.press(kDown);
  CHECK(selected(top) == "BBBB");
  top.take(three(900), kNow + 1'000);
  CHECK(order(top) == "BAC");
  CHECK(selected(top) == "BBBB");
  top.press(kUp);
  CHECK(selected(top) == "BBBB");
  auto runs = three();
  runs.erase(runs.begin() + 1);
  top.take(std::move(runs), kNow + 2'000);
  CHECK(selected(top) == "AAAA");
  top.take({}, kNow + 3'000);
  CHECK_THAT(shown(top), Contains("no runs"));
  top.press(kEnter);
  top.press(key('k'));
  CHECK(top.log_run().empty());
}

TEST_CASE("a long list scrolls to the selected run") {
  Top top(nullptr);
  std::vector<LiveRun> runs;
  constexpr int kRuns = 50;
  for (int i = 0; i < kRuns; ++i) {
    runs.push_back(run("run" + std::to_string(100 + i), "make", 1'000, 0, 1));
  }
  top.take(runs, kNow);
  top.press({.kind = Key::Kind::kEnd});
  CHECK_THAT(shown(top), Contains("\x1b[7mrun149"));
  CHECK(top.frame(kSize, nullptr).size() == kSize.rows);
  top.press({.kind = Key::Kind::kHome});
  CHECK_THAT(shown(top), Contains("\x1b[7mrun100"));
}

TEST_CASE("a frame has as many rows as the screen, however small") {
  Top top(nullptr);
  top.take(three(), kNow);
  for (std::size_t rows = 1; rows < 12; ++rows) {
    INFO(rows);
    const std::size_t lines = top.frame({.rows = rows, .columns = 10}, nullptr).size();
    CHECK(lines == std::max<std::size_t>(rows, 2));
  }
}

TEST_CASE("a kill needs a yes") {
  std::vector<std::string> killed;
  Top top([&](const std::string& id) {
    killed.push_back(id);
    return killed.size() == 1 ? Status() : Status::error("gone", "its host is gone");
  });
  top.take(three(), kNow);
  top.press(key('k'));
  CHECK_THAT(shown(top), Contains("kill AAAA and everything that it started? [y/N]"));
  top.press(key('n'));
  CHECK(killed.empty());
  CHECK_THAT(shown(top), Contains("not killed"));
  top.press(key('k'));
  top.press(kEnter);
  CHECK(killed.empty());
  top.press(key('k'));
  top.press(key('y'));
  CHECK(killed == std::vector<std::string>{"AAAA"});
  CHECK_THAT(shown(top), Contains("asked for the kill of AAAA"));
  top.press(key('k'));
  top.press(key('y'));
  CHECK_THAT(shown(top), Contains("its host is gone"));
  CHECK_FALSE(top.done());
}

TEST_CASE("the kill key reports that the host cannot be asked") {
  Top top(nullptr);
  top.take(three(), kNow);
  top.press(key('k'));
  CHECK_THAT(shown(top), Contains("cannot ask the host"));
  top.press(kDown);
  CHECK_THAT(shown(top), !Contains("cannot ask the host"));
}

TEST_CASE("enter shows the end of the log with its unfinished line, and q returns") {
  Top top(nullptr);
  top.take(three(), kNow);
  top.press(kEnter);
  CHECK(top.log_run() == "AAAA");
  OutputTail log(10'000);
  for (int i = 0; i < 30; ++i) {
    log.add({.seq = 1,
             .type = ItemType::kStdout,
             .payload = "\x1b[2Jline " + std::to_string(i) + "\n",
             .meta = "",
             .created_at = 0});
  }
  log.add({.seq = 1, .type = ItemType::kStdout, .payload = "Name: ", .meta = "", .created_at = 0});
  const std::string text = shown(top, &log);
  CHECK_THAT(text, Contains("log of AAAA") && Contains("line 29\nName: ") && !Contains("\x1b[2J") &&
                       !Contains("line 20\n"));
  CHECK(top.frame(kSize, &log).size() == kSize.rows);
  top.press(key('q'));
  CHECK(top.log_run().empty());
  CHECK_FALSE(top.done());
  top.press(key('q'));
  CHECK(top.done());
}

TEST_CASE("the key sequences of terminals are decoded") {
  using Kind = Key::Kind;
  const auto kinds = [](const std::string& bytes) {
    std::vector<Kind> kinds;
    for (const Key& each : keys_of(bytes)) kinds.push_back(each.kind);
    return kinds;
  };
  CHECK(kinds("\x1b[A\x1bOB\r") == std::vector<Kind>{Kind::kUp, Kind::kDown, Kind::kEnter});
  CHECK(kinds("\x1b[5~\x1b[6~") == std::vector<Kind>{Kind::kPageUp, Kind::kPageDown});
  CHECK(kinds("\x1b[H\x1b[4~") == std::vector<Kind>{Kind::kHome, Kind::kEnd});
  CHECK(kinds("\x03\x1A\x1b") ==
        std::vector<Kind>{Kind::kInterrupt, Kind::kSuspend, Kind::kEscape});
  CHECK(keys_of("q") == std::vector<Key>{key('q')});
  CHECK(keys_of("\x1b[200~\x1b[1;5C\xC3\xA4\x01").empty());
}
