// While the journal cannot be opened, written or read, runs go on, callers are answered, and
// recording continues when it is over.
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/journal/schema.h"
#include "tests/runtime/journal/desk.h"
#include "tests/runtime/recording/desk.h"
#include "tests/support/program.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

constexpr Millis kSoon{20};
constexpr Millis kLongLock{60'000};

RecordingOptions trying_often() {
  RecordingOptions options;
  options.journal.retry_interval = kSoon;
  return options;
}

std::string journal_of(const Recorded& desk) {
  return desk.directory() + "/sessions.db";
}

TEST_CASE("a journal that could not be opened is opened later, and has the runs that go on") {
  Recorded desk(trying_often());
  std::vector<Status> told;
  desk.recording->on_problem = [&](const Status& status) { told.push_back(status); };
  std::ofstream(journal_of(desk)) << "this is no database, but it is longer than a header of one "
                                     "hundred bytes, which SQLite reads first of all";
  RunSpec spec;
  spec.command = "echo one; read line; echo two";
  spec.stdin_pipe = true;
  Run& run = desk.table.start(std::move(spec));
  REQUIRE(desk.table.loop.until([&] { return !told.empty(); }));
  CHECK(told[0].code() == "journal_corrupt");
  fs::remove(journal_of(desk));
  REQUIRE(desk.table.loop.until([&] { return told.size() == 2; }));  // each news once
  CHECK(told[1].ok());
  desk.table.runs->write(run, "x\n", [](const Status&) {});
  const RecordedItems all = desk.finished(run.id());
  CHECK(desk.text(all.page.items, ItemType::kStdout) == "one\ntwo\n");
}

TEST_CASE(
    "output that came before the journal was open is recorded in the order in which it came") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = kLongLock;
  Recorded desk(std::move(options));
  Plain plain(journal_of(desk));
  REQUIRE(plain.run("BEGIN EXCLUSIVE"));
  RunSpec spec;
  spec.command = "while read -r to line; do echo \"$line\" >&$to; done";
  spec.stdin_pipe = true;
  Run& run = desk.table.start(std::move(spec));
  Offset end = 0;
  for (const char* line : {"1 one", "2 two", "1 three", "1 four", "2 five"}) {
    desk.table.runs->write(run, std::string(line) + "\n", [](const Status&) {});
    REQUIRE(desk.table.loop.until([&] { return run.arrivals().end() > end; }));
    end = run.arrivals().end();
  }
  CHECK(desk.recording->journal() == nullptr);
  REQUIRE(plain.run("ROLLBACK"));
  REQUIRE(desk.table.loop.until([&] { return desk.recording->journal() != nullptr; }));
  desk.table.runs->close_stdin(run);
  std::string all;
  for (const StoredItem& item : desk.finished(run.id()).page.items) {
    if (item.type == ItemType::kStdout || item.type == ItemType::kStderr) all += item.payload;
  }
  CHECK(all == "one\ntwo\nthree\nfour\nfive\n");
}

TEST_CASE("a run that ends before the journal is open ends with all of its output") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = kLongLock;
  constexpr std::size_t kRing = std::size_t{64} << 10;
  constexpr Offset kReadAhead = kRing / 4;  // of the journal
  constexpr Offset kPrinted = 20'000;       // what is not read fits any pipe
  RunLimits limits;
  limits.max_buffer_bytes = kRing;
  Recorded desk(std::move(options), limits);
  Plain plain(journal_of(desk));
  REQUIRE(plain.run("BEGIN EXCLUSIVE"));
  RunSpec spec;
  spec.command = "seq -w 1 3400; read -r line; seq -w 1001 1600";  // 5 bytes each
  spec.stdin_pipe = true;
  Run& run = desk.table.start(std::move(spec));
  REQUIRE(desk.table.loop.until([&] { return run.stream(StreamId::kStdout).end() > kReadAhead; }));
  desk.table.runs->write(run, "go\n", [](const Status&) {});
  REQUIRE(desk.table.loop.until([&] { return run.ended(); }));
  CHECK(run.stream(StreamId::kStdout).end() == kPrinted);
  CHECK(desk.recording->journal() == nullptr);
  REQUIRE(plain.run("ROLLBACK"));
  CHECK(desk.text(desk.finished(run.id()).page.items, ItemType::kStdout).size() == kPrinted);
}

TEST_CASE("a run that ended is read while another process holds the journal") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = kLongLock;
  Recorded desk(std::move(options));
  const std::string ended = desk.sh("echo kept").id();
  desk.finished(ended);
  Plain plain(journal_of(desk));
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  const std::string goes_on = desk.sh("sleep 600").id();
  const auto read = desk.items(ended);
  REQUIRE(read.ok());
  CHECK(desk.text(read->page.items, ItemType::kStdout) == "kept\n");
  const auto live = desk.items(goes_on);
  REQUIRE(live.ok());
  CHECK(live->run.status == "running");
  CHECK(live->page.items.empty());
  CHECK_THAT(live->run.error_message, Contains("cannot be read yet"));
  REQUIRE(plain.run("ROLLBACK"));
  REQUIRE(desk.table.loop.until([&] { return !desk.items(goes_on)->page.items.empty(); }));
}

TEST_CASE(
    "while another process locks readers out, only the first question waits, and all answer") {
  const bool wal = GENERATE(true, false);
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = kLongLock;
  options.journal.wal = wal;
  TempDir dir;
  Recorded(RecordingOptions(options), {}, dir.path()).finished_one();
  Recorded desk(std::move(options), {}, dir.path());
  std::string ended;
  if (!wal) ended = desk.finished_one();  // with a log, open connections prevent such a lock
  std::optional<Plain> plain(std::in_place, dir.path() + "/sessions.db");
  REQUIRE(plain->run("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE"));
  const std::string live = desk.sh("sleep 600").id();
  const auto begun = std::chrono::steady_clock::now();
  constexpr int kQuestions = 20;
  for (int i = 0; i < kQuestions; ++i) {
    const auto here = desk.items(live);
    REQUIRE(here.ok());
    CHECK(here->run.status == "running");
    CHECK_THAT(here->run.error_message, Contains("cannot be read yet"));
    CHECK(desk.items(ended.empty() ? "unknown" : ended).status().code() == "journal_busy");
  }
  const auto took = std::chrono::steady_clock::now() - begun;
  CHECK(took < kQuestions * std::chrono::seconds(1));
  plain.reset();
  REQUIRE(desk.table.loop.until([&] {
    const auto got = desk.items(live);
    return got.ok() && !got->page.items.empty();
  }));
}

TEST_CASE("an end that is not recorded yet does not end the reading of its run") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = Millis{0};
  Recorded desk(std::move(options));
  desk.finished(desk.sh("true").id());
  Plain plain(journal_of(desk));
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  Run& run = desk.sh("echo late; exit 3");
  const std::string id = run.id();
  REQUIRE(desk.table.loop.until([&] { return run.ended(); }));
  const auto during = desk.items(id);
  REQUIRE(during.ok());
  CHECK(during->run.status == "failed");
  CHECK(during->page.more);
  REQUIRE(plain.run("ROLLBACK"));
  const RecordedItems all = desk.finished(id);
  CHECK(desk.text(all.page.items, ItemType::kStdout) == "late\n");
  CHECK_FALSE(all.page.more);
}

TEST_CASE("a journal of this version is opened while another process holds its lock") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = kLongLock;
  TempDir dir;
  Recorded(RecordingOptions(options), {}, dir.path()).recording->open();
  Recorded desk(std::move(options), {}, dir.path());
  Plain plain(dir.path() + "/sessions.db");
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  std::optional<Status> open;
  desk.recording->when_open([&](const Status& status) { open = status; });
  REQUIRE(desk.table.loop.until([&] { return open.has_value(); }));
  CHECK(open->ok());
  REQUIRE(plain.run("ROLLBACK"));
}

TEST_CASE("a kill that must wait for the journal says so, and is carried out later") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = kLongLock;
  Recorded desk(std::move(options));
  desk.finished(desk.sh("true").id());
  RunRecord run;
  run.run_id = "queued";
  run.client = run.session_id = "s";
  run.command = "true";
  std::optional<Status> queued;
  desk.worker->enqueue(run, [&](const Status& status) { queued = status; });
  REQUIRE(desk.table.loop.until([&] { return queued.has_value(); }));
  REQUIRE(queued->ok());
  Plain plain(journal_of(desk));
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  std::optional<Status> killed;
  desk.worker->request_kill("queued", "",
                            [&](const Result<KillRequest>& kill) { killed = kill.status(); });
  REQUIRE(desk.table.loop.until([&] { return killed.has_value(); }));
  CHECK(killed->code() == "journal_busy");
  CHECK_THAT(killed->message(), Contains("is carried out"));
  REQUIRE(plain.run("ROLLBACK"));
  REQUIRE(desk.table.loop.until([&] { return desk.items("queued")->run.status == "killed"; }));
}

// A process that holds the lock of a journal.
class Locked {
 public:
  Locked(const Recorded& desk, const std::string& where)
      : program_(
            {{program_directory() + "/journal_child", "lock", desk.directory(), where}, {}, ""}) {
    REQUIRE(program_.read_line() == "locked");
  }
  void release() {
    program_.write("x");
    CHECK(program_.wait().value().code == 0);
  }

 private:
  Program program_;
};

// What was said of a start, once there is something.
std::shared_ptr<std::optional<Status>> enqueued(Recorded& desk, const std::string& id) {
  RunRecord run;
  run.run_id = id;
  run.client = run.session_id = "s";
  run.command = "true";
  auto told = std::make_shared<std::optional<Status>>();
  desk.worker->enqueue(run, [told](const Status& status) { *told = status; });
  return told;
}

// Becomes true after `time` of the desk's loop.
std::shared_ptr<bool> over(Recorded& desk, Millis time) {
  auto rung = std::make_shared<bool>(false);
  desk.recording->alarms().set(time, [rung] { *rung = true; });
  return rung;
}

TEST_CASE("a start waits longer for a process that waits for the disk than for one that sleeps") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = GENERATE(kSoon, kLongLock);
  Recorded desk(std::move(options));
  desk.finished_one();
  {
    Locked asleep(desk, "asleep");
    const auto told = enqueued(desk, "refused");
    const auto late = over(desk, kSlowDiskPatience);
    REQUIRE(desk.table.loop.until([&] { return told->has_value(); }));
    CHECK((*told)->code() == "journal_busy");
    CHECK_FALSE(*late);
    asleep.release();
  }
  Locked waiting(desk, "disk");
  const auto told = enqueued(desk, "started");
  const auto longer = over(desk, 2 * kJournalPatience);
  REQUIRE(desk.table.loop.until([&] { return *longer; }));
  CHECK_FALSE(told->has_value());
  waiting.release();
  REQUIRE(desk.table.loop.until([&] { return told->has_value(); }));
  CHECK((*told)->ok());
  CHECK(desk.items("refused").status().code() == "run_not_found");
}

TEST_CASE("a host that stood still waits for the journal as long as another") {
  Recorded desk(trying_often());
  desk.finished_one();
  Locked asleep(desk, "asleep");
  const auto told = enqueued(desk, "started");
  std::this_thread::sleep_for(kJournalPatience);  // the host
  const auto longer = over(desk, kJournalPatience / 2);
  REQUIRE(desk.table.loop.until([&] { return *longer || told->has_value(); }));
  CHECK_FALSE(told->has_value());
  asleep.release();
  REQUIRE(desk.table.loop.until([&] { return told->has_value(); }));
  CHECK((*told)->ok());
}

TEST_CASE("a start that waits for a disk is refused in the end, and can be called off before") {
  RecordingOptions options = trying_often();
  options.journal.busy_timeout = kLongLock;
  options.slow_disk_patience = 2 * kJournalPatience;
  Recorded desk(std::move(options));
  desk.finished_one();
  Locked waiting(desk, "disk");
  const auto refused = enqueued(desk, "refused");
  const auto longer = over(desk, kJournalPatience * 3 / 2);
  REQUIRE(desk.table.loop.until([&] { return *longer || refused->has_value(); }));
  CHECK(*longer);
  REQUIRE(desk.table.loop.until([&] { return refused->has_value(); }));
  CHECK((*refused)->code() == "journal_busy");
  CHECK_THAT((*refused)->message(), Contains("journal_child"));
  const auto cancelled = enqueued(desk, "cancelled");
  desk.worker->cancel_enqueue("cancelled");
  waiting.release();
  desk.finished_one();
  CHECK_FALSE(cancelled->has_value());
  for (const char* id : {"refused", "cancelled"}) {
    CHECK(desk.items(id).status().code() == "run_not_found");
  }
}

TEST_CASE("records are read from a file that has taken the place of another") {
  Recorded desk(trying_often());
  desk.finished(desk.sh("true").id());
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(journal_of(desk) + suffix);
  const std::string later = desk.sh("echo new").id();
  CHECK(desk.text(desk.finished(later).page.items, ItemType::kStdout) == "new\n");
}

TEST_CASE("runs go on beside the journal of a newer program, and answers say why it is not read") {
  Recorded desk(trying_often());
  std::vector<Status> told;
  desk.recording->on_problem = [&](const Status& status) { told.push_back(status); };
  const std::string ours = "PRAGMA application_id = " + std::to_string(kJournalApplicationId);
  REQUIRE(Plain(journal_of(desk)).run(ours + "; PRAGMA user_version = 99"));
  const std::string id = desk.sh("echo one").id();
  REQUIRE(desk.table.loop.until([&] { return !told.empty(); }));
  CHECK(told[0].code() == "journal_newer");
  CHECK_THAT(told[0].message(), Contains("version 99"));
  REQUIRE(desk.table.loop.until([&] { return desk.items(id)->run.status == "completed"; }));
  CHECK_THAT(desk.items(id)->run.error_message, Contains("a newer program wrote it"));
  CHECK(desk.items("another").status().code() == "journal_newer");
  RunRecord run;
  run.run_id = "queued";
  run.client = run.session_id = "s";
  run.command = "true";
  std::optional<Status> queued;
  desk.worker->enqueue(run, [&](const Status& status) { queued = status; });
  REQUIRE(desk.table.loop.until([&] { return queued.has_value(); }));
  CHECK(queued->code() == "journal_newer");
  CHECK_THAT(queued->message(), Contains("will not run"));
  REQUIRE(Plain(journal_of(desk)).run("PRAGMA application_id = 0; PRAGMA user_version = 0"));
  REQUIRE(desk.table.loop.until([&] { return told.size() == 2; }));
  CHECK(told[1].ok());
  const std::string later = desk.sh("echo two").id();
  CHECK(desk.text(desk.finished(later).page.items, ItemType::kStdout) == "two\n");
}

TEST_CASE("recording begins when the older program that has the journal open has ended") {
  Recorded desk(trying_often());
  {
    JournalOptions options;
    options.directory = desk.directory();
    REQUIRE(Journal::create(options, SystemClock()));
  }
  REQUIRE(Plain(journal_of(desk)).run("PRAGMA user_version = 9"));
  Program older(journal_child({"hold", desk.directory()}));
  REQUIRE(older.read_line() == "open");
  std::vector<Status> told;
  desk.recording->on_problem = [&](const Status& status) { told.push_back(status); };
  std::vector<Status> lost;
  desk.recording->on_lost = [&](const Status& status) { lost.push_back(status); };
  RunSpec reading;
  reading.command = "echo one; read line; echo two";
  reading.stdin_pipe = true;
  Run& run = desk.table.start(std::move(reading));
  REQUIRE(desk.table.loop.until([&] { return !told.empty(); }));
  CHECK(told[0].code() == "journal_older");
  CHECK_THAT(told[0].message(), Contains("process " + std::to_string(older.pid())));
  older.close_stdin();
  REQUIRE(desk.table.loop.until([&] { return told.size() == 2; }));
  CHECK(told[1].ok());
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].code() == "journal_set_aside");
  desk.table.runs->write(run, "x\n", [](const Status&) {});
  CHECK(desk.text(desk.finished(run.id()).page.items, ItemType::kStdout) == "one\ntwo\n");
}

}  // namespace
}  // namespace gibbous::testing
