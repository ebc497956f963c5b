// What happens to real runs is found in the journal: output, states, events, the end.
#include "runtime/recording/recording.h"

#include <filesystem>
#include <fstream>
#include <future>

#include "runtime/output/text.h"
#include "tests/runtime/recording/desk.h"

namespace gibbous::testing {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("a run is recorded from its start to its end") {
  Recorded desk;
  const std::string id = desk.sh("echo out; echo err >&2; exit 3").id();
  const RecordedItems all = desk.finished(id);
  CHECK(all.run.status == "failed");
  CHECK(all.run.session_id == "s");
  CHECK(all.run.has_exit_code);
  CHECK(all.run.exit_code == 3);
  CHECK(all.run.error_message == "exit code 3");
  CHECK(all.run.started_at >= all.run.queued_at);
  CHECK(all.run.finished_at >= all.run.started_at);
  CHECK(desk.text(all.page.items, ItemType::kStdout) == "out\n");
  CHECK(desk.text(all.page.items, ItemType::kStderr) == "err\n");
  CHECK(all.run.stdout_to == 4);
  CHECK(all.run.stderr_to == 4);
  CHECK(desk.payloads(all.page.items, ItemType::kState) == Texts{"running", "failed"});
  std::uint64_t seq = 0;
  for (const StoredItem& item : all.page.items) CHECK(item.seq == ++seq);
  CHECK(all.run.last_seq == seq);
  CHECK(all.page.items.back().type == ItemType::kState);
}

TEST_CASE("a host that ends before its journal is opened leaves it alone") {
  const TempDir dir;
  {
    Recorded earlier({}, {}, dir.path());
    earlier.finished_one();
  }
  const auto bytes = [&dir] {
    std::ifstream file(dir.path() + "/sessions.db", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = bytes();
  {
    Recorded ends({}, {}, dir.path());
    ends.recording->open_soon();
  }
  CHECK((bytes() == before));
  Recorded stays({}, {}, dir.path());
  stays.recording->open_soon();
  CHECK(stays.recording->journal() == nullptr);
  CHECK(stays.table.loop.until([&] { return stays.recording->journal() != nullptr; }));
}

TEST_CASE("items are read from a cursor on, while the run continues") {
  Recorded desk;
  RunSpec spec;
  spec.command = "echo one; read line; echo two";
  spec.stdin_pipe = true;
  Run& run = desk.table.start(std::move(spec));
  std::uint64_t since = 0;
  REQUIRE(desk.table.loop.until([&] {
    const auto got = desk.items(run.id());
    if (!got.ok() || desk.text(got->page.items, ItemType::kStdout) != "one\n") return false;
    since = got->page.next_since;
    return true;
  }));
  CHECK(desk.items(run.id(), since)->page.items.empty());
  CHECK(desk.items(run.id())->run.status == "running");
  desk.table.runs->close_stdin(run);
  REQUIRE(desk.table.loop.until([&] {
    const auto got = desk.items(run.id(), since);
    return got.ok() && desk.text(got->page.items, ItemType::kStdout) == "two\n" &&
           got->page.items.front().seq == since + 1;
  }));
  desk.finished(run.id());
}

TEST_CASE("a reader that sees the end sees all that came before it") {
  Recorded desk;
  const std::string id = desk.sh("seq 1 20000").id();
  for (;;) {
    const auto got = desk.items(id);
    REQUIRE(got.ok());
    if (got->run.status == "running") continue;
    const std::string text = desk.text(got->page.items, ItemType::kStdout);
    CHECK(text.size() == 108894);
    CHECK(text.substr(text.size() - 6) == "20000\n");
    break;
  }
}

TEST_CASE("an event comes after the output before it") {
  Recorded desk;
  RunSpec spec;
  spec.command = "echo ready; read line; echo later";
  spec.stdin_pipe = true;
  Run& run = desk.table.start(std::move(spec));
  REQUIRE(desk.table.loop.until([&] { return run.stream(StreamId::kStdout).end() > 0; }));
  desk.recording->recorder().add_event(run.id(), "seen", R"({"event":"seen"})");
  desk.table.runs->close_stdin(run);
  const RecordedItems all = desk.finished(run.id());
  std::vector<std::string> order;
  for (const StoredItem& item : all.page.items) order.push_back(item.payload);
  CHECK(order == Texts{"running", "ready\n", "seen", "later\n", "completed"});
  CHECK(all.page.items[2].meta == R"({"event":"seen"})");
}

TEST_CASE("all runs are recorded again, however many, and before what they print next") {
  std::string meta = R"({"policy":"old"})";
  RecordingOptions options;
  options.recorder.describe = [&meta](const Run&, const std::string&) { return meta; };
  RunLimits limits;
  constexpr std::size_t kRuns = 20;
  limits.max_concurrent = kRuns;
  Recorded desk(options, limits);
  std::vector<Run*> runs;
  for (std::size_t i = 0; i < kRuns; ++i) {
    RunSpec spec;
    spec.command = "read line; echo next";
    spec.stdin_pipe = true;
    runs.push_back(&desk.table.start(std::move(spec)));
  }
  const auto is_recorded = [&](const Run& run) {
    const auto got = desk.items(run.id());
    return got.ok() && got->run.status == "running" && got->run.meta_json == meta;
  };
  for (const Run* run : runs) REQUIRE(desk.table.loop.until([&] { return is_recorded(*run); }));
  meta = R"({"policy":"new"})";
  desk.recording->recorder().refresh_all();
  desk.table.runs->close_stdin(*runs.back());
  REQUIRE(desk.table.loop.until([&] {
    const auto got = desk.items(runs.back()->id());
    if (!got.ok() || desk.text(got->page.items, ItemType::kStdout).empty()) return false;
    CHECK(got->run.meta_json == meta);
    return true;
  }));
  runs.pop_back();
  for (const Run* run : runs) CHECK(desk.table.loop.until([&] { return is_recorded(*run); }));
}

TEST_CASE("the size of a terminal is recorded where it changes among the output") {
  Recorded desk;
  RunSpec spec;
  spec.command = "echo one; read a; stty rows 40 cols 100; echo two; read a";
  spec.terminal = TerminalSpec{.size = {24, 80}};
  Run& run = desk.table.start(std::move(spec));
  const auto shows = [&](const std::string& word) {
    return desk.table.loop.until([&] {
      const std::string text(run.stream(StreamId::kStdout).read(0, 1'000).bytes);
      return text.find(word) != std::string::npos;
    });
  };
  REQUIRE(shows("one"));
  REQUIRE(desk.table.runs->resize(run, {24, 80}));  // no change
  REQUIRE(desk.table.runs->resize(run, {50, 120}));
  desk.table.runs->write(run, "\n", [](const Status&) {});
  REQUIRE(shows("two"));
  desk.table.runs->write(run, "\n", [](const Status&) {});
  const RecordedItems all = desk.finished(run.id());
  std::vector<std::string> sizes;
  std::string before;  // of the last change
  for (const StoredItem& item : all.page.items) {
    if (item.type != ItemType::kTerminal) continue;
    if (item.meta.empty()) {
      before += item.payload;
    } else {
      sizes.push_back(item.meta);
      CHECK(item.payload.empty());
      CHECK(before.find("two") == std::string::npos);
    }
    CHECK((!sizes.empty() || before.find("one") != std::string::npos));
  }
  CHECK(sizes == Texts{R"({"rows":50,"cols":120})", R"({"rows":40,"cols":100})"});
}

TEST_CASE("sizes of a terminal at which nothing was drawn are one item, with the last of them") {
  Recorded desk;
  RunSpec spec;
  spec.command = "stty -echo; echo one; read a; echo two; read a";
  spec.terminal = TerminalSpec{.size = {24, 80}};
  Run& run = desk.table.start(std::move(spec));
  const auto shows = [&](const std::string& word) {
    return desk.table.loop.until([&] {
      const std::string text(run.stream(StreamId::kStdout).read(0, 1'000).bytes);
      return text.find(word) != std::string::npos;
    });
  };
  REQUIRE(shows("one"));
  for (std::uint16_t rows = 30; rows < 80; ++rows) {
    REQUIRE(desk.table.runs->resize(run, {rows, 100}));
  }
  desk.table.runs->write(run, "\n", [](const Status&) {});
  REQUIRE(shows("two"));
  for (std::uint16_t rows = 30; rows < 80; ++rows) {
    REQUIRE(desk.table.runs->resize(run, {rows, 90}));
  }
  // Without output, the last size is recorded after a pause.
  const auto sizes = [&] {
    Texts found;
    const auto got = desk.items(run.id());
    REQUIRE(got.ok());
    for (const StoredItem& item : got->page.items) {
      if (item.type == ItemType::kTerminal && !item.meta.empty()) found.push_back(item.meta);
    }
    return found;
  };
  REQUIRE(desk.table.loop.until([&] {
    const Texts found = sizes();
    return !found.empty() && found.back() == R"({"rows":79,"cols":90})";
  }));
  desk.table.runs->write(run, "\n", [](const Status&) {});
  desk.finished(run.id());
  CHECK(sizes() == Texts{R"({"rows":30,"cols":100})", R"({"rows":79,"cols":100})",
                         R"({"rows":30,"cols":90})", R"({"rows":79,"cols":90})"});
}

// All output of a run, in its order.
std::string all_output(const RecordedItems& all) {
  std::string text;
  for (const StoredItem& item : all.page.items) {
    const bool output = item.type == ItemType::kStdout || item.type == ItemType::kStderr;
    if (output) text += item.payload;
  }
  return text;
}

TEST_CASE(
    "above the limit, the beginning and the end of output are recorded, with the size of the gap") {
  Recorded desk;
  const std::uint64_t most = GENERATE(256, 300, 4096, 64 << 10, 1 << 20);
  const std::string id = desk.sh("seq 1 400000", most).id();
  const RecordedItems all = desk.finished(id);
  const std::string text = desk.text(all.page.items, ItemType::kStdout);
  CHECK(text.size() == most);
  CHECK(text.rfind("1\n2\n3\n", 0) == 0);
  CHECK(text.substr(text.size() - 7) == "400000\n");
  const Texts notes = desk.payloads(all.page.items, ItemType::kNote);
  REQUIRE(!notes.empty());
  constexpr std::uint64_t kWritten = 2'688'895;
  CHECK(notes.back().find(std::to_string(kWritten - most) + " bytes of stdout are not recorded") ==
        0);
  CHECK(all.run.stdout_to == static_cast<std::int64_t>(kWritten));
  CHECK(all.page.items.back().payload == "completed");
}

TEST_CASE("while a run goes on, a note says that the limit of its output is reached") {
  Recorded desk;
  RunSpec spec;
  spec.command = "seq 1 1000; read line";
  spec.stdin_pipe = true;
  spec.max_output_bytes = 300;
  Run& run = desk.table.start(std::move(spec));
  REQUIRE(desk.table.loop.until([&] {
    const auto got = desk.items(run.id());
    if (!got.ok()) return false;
    const Texts notes = desk.payloads(got->page.items, ItemType::kNote);
    return notes.size() == 1 && notes[0].find("The limit of 300 bytes") == 0;
  }));
  desk.table.runs->close_stdin(run);
  CHECK(desk.payloads(desk.finished(run.id()).page.items, ItemType::kNote).size() == 2);
}

TEST_CASE("output that is no longer than its limit is recorded whole, without a note") {
  Recorded desk;
  const std::string id = desk.sh("seq 1 100", 292).id();
  const RecordedItems all = desk.finished(id);
  CHECK(desk.text(all.page.items, ItemType::kStdout).size() == 292);
  CHECK(desk.payloads(all.page.items, ItemType::kNote).empty());
  CHECK(all.page.items.back().payload == "completed");
}

TEST_CASE("both streams share the limit, and their end keeps its order") {
  Recorded desk;
  RunSpec spec;
  spec.command = "while read line; do echo \"$line\"; read line; echo \"$line\" >&2; done";
  spec.stdin_pipe = true;
  spec.max_output_bytes = 256;
  Run& run = desk.table.start(std::move(spec));
  std::string written;
  for (int i = 100; i < 200; ++i) {
    const StreamId id = i % 2 == 0 ? StreamId::kStdout : StreamId::kStderr;
    const Offset before = run.stream(id).end();
    const std::string line = "line " + std::to_string(i) + "\n";
    desk.table.runs->write(run, line, [](const Status&) {});
    REQUIRE(desk.table.loop.until([&] { return run.stream(id).end() == before + line.size(); }));
    written += line;
  }
  desk.table.runs->close_stdin(run);
  const RecordedItems all = desk.finished(run.id());
  const std::string text = all_output(all);
  REQUIRE(text.size() == 256);
  CHECK(text.substr(0, 128).find("line 100\n") == 0);
  CHECK(text.substr(128) == written.substr(written.size() - 128));
  const Texts notes = desk.payloads(all.page.items, ItemType::kNote);
  REQUIRE(!notes.empty());
  CHECK(notes.back().find(" of stdout and ") != std::string::npos);
  CHECK(notes.back().find(" of stderr are not recorded") != std::string::npos);
}

TEST_CASE("neither the beginning nor the end of long output cuts a character") {
  Recorded desk;
  const std::string id = desk.sh("for i in $(seq 300); do printf 'x\xe2\x82\xac'; done", 257).id();
  const RecordedItems all = desk.finished(id);
  const Texts parts = desk.payloads(all.page.items, ItemType::kStdout);
  REQUIRE(parts.size() >= 2);
  for (const std::string& part : parts) CHECK(is_utf8(part));
  const std::string text = desk.text(all.page.items, ItemType::kStdout);
  CHECK(text.size() <= 257);
  CHECK(text.size() > 250);
  const Texts notes = desk.payloads(all.page.items, ItemType::kNote);
  REQUIRE(!notes.empty());
  CHECK(notes.back().find(std::to_string(1200 - text.size()) + " bytes of stdout") == 0);
}

TEST_CASE("events of a run take no room from its output") {
  Recorded desk;
  RunSpec spec;
  spec.command = "read line; seq 1 400";
  spec.stdin_pipe = true;
  spec.max_output_bytes = 300;
  Run& run = desk.table.start(std::move(spec));
  for (int i = 0; i < 20; ++i) {
    desk.recording->recorder().add_event(run.id(), "seen", R"({"line":"some text of an event"})");
  }
  desk.table.runs->close_stdin(run);
  const RecordedItems all = desk.finished(run.id());
  CHECK(all_output(all).size() == 300);
  CHECK(desk.payloads(all.page.items, ItemType::kEvent).size() == 20);
}

TEST_CASE("a child that writes faster than the disk waits, and nothing is lost") {
  RecordingOptions options;
  options.journal.max_queue_bytes = 64 << 10;
  options.recorder.max_output_bytes = 64 << 20;
  RunLimits limits;
  limits.max_buffer_bytes = 64 << 10;
  Recorded desk(std::move(options), limits);
  const std::string id = desk.sh("seq 1 600000").id();
  const RecordedItems all = desk.finished(id);
  CHECK(desk.payloads(all.page.items, ItemType::kNote).empty());
  const std::string text = desk.text(all.page.items, ItemType::kStdout);
  CHECK(text.size() == 4088895);
  CHECK(text.substr(text.size() - 7) == "600000\n");
}

TEST_CASE("the first run opens the journal, which makes the state directory") {
  TempDir dir;
  const std::string state = dir.path() + "/some/state";
  Recorded desk({}, {}, state);
  CHECK_FALSE(std::filesystem::exists(state));
  RunSpec spec;
  spec.command = "echo early";
  Run& run = desk.table.start(std::move(spec));
  desk.table.until_ended(run);
  CHECK(desk.text(desk.finished(run.id()).page.items, ItemType::kStdout) == "early\n");
}

TEST_CASE("a journal has a past when it was there before its host, not while the host makes it") {
  const TempDir dir;
  for (const bool is_old : {false, true}) {
    Recorded desk({}, {}, dir.path());
    Recording& recording = *desk.recording;
    CHECK(recording.has_past() == is_old);
    recording.open();
    bool changed = false;
    REQUIRE(desk.table.loop.until([&] {
      const bool is_open = recording.journal() != nullptr;
      changed = changed || (!is_open && recording.has_past() != is_old);
      return is_open;
    }));
    CHECK_FALSE(changed);
    CHECK(recording.has_past());
  }
}

TEST_CASE("runs that begin before the journal is open are listed in their order") {
  constexpr int kRuns = 4;  // the loop, which opens the journal, does not turn in between
  Recorded desk;
  Texts begun;
  for (int i = 0; i < kRuns; ++i) {
    RunSpec spec;
    spec.command = "true";
    spec.session = "s";
    auto run = desk.table.runs->start(std::move(spec), [](Run&, const Status&) {});
    REQUIRE(run.ok());
    begun.push_back((*run)->id());
    const Millis now = desk.table.clock.wall();
    while (desk.table.clock.wall() == now) {
    }
  }
  for (const std::string& id : begun) (void)desk.finished(id);
  std::optional<Texts> listed;
  desk.recording->runs("s", false, kRuns, [&](Result<std::vector<RunRecord>> runs) {
    listed.emplace();
    for (const RunRecord& run : *runs) listed->insert(listed->begin(), run.run_id);
  });
  REQUIRE(desk.table.loop.until([&] { return listed.has_value(); }));
  CHECK(*listed == begun);
}

TEST_CASE("a run that the journal rejects is not queued, and its caller gets the reason") {
  Recorded desk;
  std::optional<Status> told;
  desk.finished(desk.sh("true").id());
  RunRecord run;
  run.run_id = "queued";
  run.session_id.assign(kMaxJournalIdBytes + 1, 's');
  desk.worker->enqueue(run, [&](const Status& status) { told = status; });
  REQUIRE(desk.table.loop.until([&] { return told.has_value(); }));
  CHECK(told->code() == "invalid_arguments");
}

TEST_CASE("a question that comes while the recording ends is not answered, and does no harm") {
  Recorded desk;
  desk.finished(desk.sh("true").id());
  std::promise<void> closed;
  auto is_closed = closed.get_future().share();
  desk.recording->close([&] { closed.set_value(); });
  bool is_answered = false;
  desk.recording->look_up<Status>(
      [is_closed](JournalReader&) {
        is_closed.wait();  // the answer would come when all else has ended
        return Status();
      },
      [&](const Status&) { is_answered = true; });
  constexpr int kTurns = 50;  // of the loop, after the end
  int turns = 0;
  REQUIRE(desk.table.loop.until([&] {
    const bool is_over = is_closed.wait_for(Millis{0}) == std::future_status::ready;
    return is_over && ++turns > kTurns;
  }));
  CHECK_FALSE(is_answered);
  desk.worker.reset();
  desk.recording.reset();
}

TEST_CASE("a run is recorded as killed at the end of its host") {
  TempDir dir;
  std::string id;
  {
    Recorded desk({}, {}, dir.path());
    Run& run = desk.sh("echo up; exec sleep 600");
    id = run.id();
    REQUIRE(desk.table.loop.until([&] { return run.stream(StreamId::kStdout).end() > 0; }));
    desk.close();
  }
  Recorded again({}, {}, dir.path());
  again.recording->open();
  const auto got = again.items(id);
  REQUIRE(got.ok());
  CHECK(got->run.status == "killed");
  CHECK(got->run.error_message == "its host has ended");
  CHECK(got->run.finished_at > 0);
  CHECK(again.text(got->page.items, ItemType::kStdout) == "up\n");
}

TEST_CASE("without a state directory runs continue, and queries return the reason") {
  Table table;
  Recording recording(table.loop.get(), table.clock, *table.runs, {});
  RunSpec spec;
  spec.command = "exit 0";
  Run& run = table.start(std::move(spec));
  table.until_ended(run);
  CHECK(run.state() == RunState::kCompleted);
  std::optional<Result<RecordedItems>> answer;
  recording.items(run.id(), 0, 10, 1000,
                  [&](Result<RecordedItems> got) { answer.emplace(std::move(got)); });
  REQUIRE(table.loop.until([&] { return answer.has_value(); }));
  CHECK(answer->status().code() == "no_journal");
  bool closed = false;
  recording.close([&] { closed = true; });
  REQUIRE(table.loop.until([&] { return closed; }));
}

TEST_CASE("a file that is not a journal is left alone and reported once, and runs continue") {
  TempDir dir;
  dir.write("sessions.db", "this is no database, whatever it is called, and it stays as it is");
  Recorded desk({}, {}, dir.path());
  std::vector<std::string> codes;
  desk.recording->on_problem = [&](const Status& status) { codes.push_back(status.code()); };
  Run& run = desk.sh("echo on");
  desk.table.until_ended(run);
  REQUIRE(desk.table.loop.until([&] { return !codes.empty(); }));
  CHECK(codes.size() == 1);
  CHECK_FALSE(desk.recording->problem().ok());
  const auto read = desk.items(run.id());
  REQUIRE(read.ok());
  CHECK(read->run.status == "completed");
  CHECK_THAT(read->run.error_message,
             Catch::Matchers::Contains(desk.recording->problem().message()));
  CHECK(read->page.more);
}

TEST_CASE("a recording can be closed while it opens, and during a question") {
  for (int asked = 0; asked < 2; ++asked) {
    Recorded desk;
    desk.recording->open();
    bool answered = false;
    if (asked != 0) {
      desk.recording->items("abcdefgh", 0, 1, 1, [&](const auto&) { answered = true; });
    }
    desk.close();
    CHECK_FALSE(answered);
  }
}

TEST_CASE("an unknown run is reported as unknown") {
  Recorded desk;
  desk.recording->open();
  CHECK(desk.items("nobodyis").status().code() == "run_not_found");
}

}  // namespace
}  // namespace gibbous::testing
