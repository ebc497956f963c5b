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

// Returns the ids of the list, from the top.
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

void add_line(OutputTail& log, const std::string& text) {
  log.add({.seq = 1,
           .type = ItemType::kStdout,
           .payload = "\x1b[2J" + text + "\n",
           .meta = "",
           .created_at = 0});
}

// A run writes this many lines, and a question without a line end.
OutputTail log_of(int lines) {
  OutputTail log(10'000);
  for (int i = 0; i < lines; ++i) add_line(log, "line " + std::to_string(i));
  log.add({.seq = 1, .type = ItemType::kStdout, .payload = "Name: ", .meta = "", .created_at = 0});
  return log;
}

}  // namespace

TEST_CASE("a key changes the order of the list") {
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

TEST_CASE("a frame has as many rows as even the smallest screen") {
  Top top(nullptr);
  top.take(three(), kNow);
  for (std::size_t rows = 1; rows < 12; ++rows) {
    INFO(rows);
    const std::size_t lines = top.frame({.rows = rows, .columns = 10}, nullptr).size();
    CHECK(lines == std::max<std::size_t>(rows, 2));
  }
}

TEST_CASE("a kill needs confirmation") {
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
  const OutputTail log = log_of(30);
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

TEST_CASE("the lower half shows the output and the curves of the selected run") {
  Top top(nullptr);
  constexpr ScreenSize kLarge{.rows = 20, .columns = 80};
  top.take(three(), kNow);
  top.take(three(500), kNow + 1'000);
  CHECK(top.output_run() == "AAAA");
  const OutputTail log = log_of(30);
  top.press(kUp, &log);
  CHECK(top.output_run() == "BBBB");
  const auto frame = top.frame(kLarge, &log);
  CHECK(frame.size() == kLarge.rows);
  std::string text;
  for (const std::string& line : frame) text += line + "\n";
  CHECK_THAT(text, Contains("── output of BBBB  CPU ▅ 50%  MEM ██ ") &&
                       Contains("line 29\nName: \n") && Contains("awk") && !Contains("line 10\n"));
  const std::size_t rows = 11;
  CHECK_THAT(top.frame({.rows = rows, .columns = 80}, &log).at(2), !Contains("output of"));
}

TEST_CASE("output is scrolled, and follows its end again") {
  Top top(nullptr);
  top.take(three(), kNow);
  OutputTail log = log_of(30);
  top.press(kEnter, &log);
  top.press({.kind = Key::Kind::kPageUp}, &log);
  CHECK_THAT(shown(top, &log),
             Contains("(scrolled)") && Contains("line 20\n") && !Contains("line 21\n"));
  add_line(log, "later");
  CHECK_THAT(shown(top, &log), Contains("line 20\n") && !Contains("line 21\n"));
  top.press(kUp, &log);
  CHECK_THAT(shown(top, &log), !Contains("line 20\n"));
  top.press({.kind = Key::Kind::kHome}, &log);
  CHECK_THAT(shown(top, &log), Contains("line 0\n") && Contains("line 4\n"));
  top.press({.kind = Key::Kind::kEnd}, &log);
  CHECK_THAT(shown(top, &log), Contains("later") && !Contains("(scrolled)"));
}

TEST_CASE("a search finds the previous match and ignores case") {
  Top top(nullptr);
  top.take(three(), kNow);
  const OutputTail log = log_of(30);
  top.press(kEnter, &log);
  for (const char c : std::string("/LINE 1x")) top.press(key(c), &log);
  CHECK_THAT(shown(top, &log), Contains("/LINE 1x"));
  top.press({.kind = Key::Kind::kBackspace}, &log);
  top.press(kEnter, &log);
  CHECK_THAT(shown(top, &log), Contains("\x1b[7mline 1\x1b[27m9\nline 20\nline 21\n"));
  top.press(key('<'), &log);
  CHECK_THAT(shown(top, &log), Contains("\x1b[7mline 1\x1b[27m8\n") && !Contains("line 21\n"));
  top.press(key('>'), &log);
  top.press(key('>'), &log);
  CHECK_THAT(shown(top, &log), Contains("no later match of LINE 1"));
  for (const char c : std::string("/nowhere")) top.press(key(c), &log);
  top.press(kEnter, &log);
  CHECK_THAT(shown(top, &log), Contains("not found: nowhere"));
  top.press(key('/'), &log);
  top.press({.kind = Key::Kind::kEscape}, &log);
  top.press(key('q'), &log);
  CHECK(top.log_run().empty());
  CHECK_FALSE(top.done());
}

TEST_CASE("curves have a step for each measurement, up to the highest value") {
  History history;
  history.add(-1, 10);
  history.add(0, 20);
  history.add(50, 0);
  history.add(100, 20);
  CHECK(history.processor_curve() == "▁▅█");
  CHECK(history.memory_curve() == "▅█▁█");
  history.add(200, 20);
  CHECK(history.processor_curve() == "▁▃▅█");
  for (std::size_t i = 0; i < 2 * kHistoryLooks; ++i) history.add(0, 0);
  CHECK(history.processor_curve().size() == kHistoryLooks * std::string("▁").size());
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
