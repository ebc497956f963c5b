// Readers find what the journal was given, in its order, after any end of the process.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

mode_t mode_of(const std::string& path) {
  struct stat file {};
  REQUIRE(::lstat(path.c_str(), &file) == 0);
  return file.st_mode & 07777;
}

TEST_CASE("items come back as they were given, in their order") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("run00001") == Taken::kYes);
  const std::string bytes("a\0\xFFz", 4);
  CHECK(desk.journal->append("run00001", {1, ItemType::kStdout, bytes}) == Taken::kYes);
  CHECK(desk.journal->append(
            "run00001", {2, ItemType::kEvent, "ready", R"({"event":"up"})", 1234}) == Taken::kYes);
  CHECK(desk.journal->append("run00001", {3, ItemType::kState, ""}) == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("run00001");
  REQUIRE(page.items.size() == 3);
  CHECK(page.items[0].seq == 1);
  CHECK(page.items[0].type == ItemType::kStdout);
  CHECK(page.items[0].payload == bytes);
  CHECK(page.items[0].created_at == desk.clock.wall().count());
  CHECK(page.items[1].type == ItemType::kEvent);
  CHECK(page.items[1].payload == "ready");
  CHECK(page.items[1].meta == R"({"event":"up"})");
  CHECK(page.items[1].created_at == 1234);
  CHECK(page.items[2].type == ItemType::kState);
  CHECK(page.items[2].payload.empty());
  CHECK(page.next_since == 3);
  CHECK_FALSE(page.more);
  CHECK(desk.journal->durable_seq("run00001") == 3);
}

TEST_CASE("runs of a session are found with everything recorded about them, newest first") {
  Desk desk;
  REQUIRE(desk.open());
  RunRecord run = desk.record("aaaaaaaa", "one");
  run.pty = true;
  run.timeout_secs = 7;
  run.max_output_bytes = 99'999;
  run.watch_json = R"([{"regex":"x"}])";
  run.meta_json = R"({"label":"l"})";
  REQUIRE(desk.journal->put_run(run) == Taken::kYes);
  REQUIRE(desk.start("bbbbbbbb", "two") == Taken::kYes);
  REQUIRE(desk.start("cccccccc", "one") == Taken::kYes);
  REQUIRE(desk.out("aaaaaaaa", 1, "12345") == Taken::kYes);
  run.status = "failed";
  run.has_exit_code = true;
  run.exit_code = 2;
  run.error_message = "exit code 2";
  run.finished_at = 5;
  REQUIRE(desk.journal->put_run(run) == Taken::kYes);
  REQUIRE(desk.flush());
  const auto reader = desk.reader();
  const auto of_one = reader->runs("one", 10);
  REQUIRE(of_one);
  REQUIRE(of_one->size() == 2);
  CHECK((*of_one)[0].run_id == "cccccccc");
  CHECK_FALSE((*of_one)[0].has_exit_code);
  CHECK((*of_one)[0].finished_at == 0);
  const RunRecord& found = (*of_one)[1];
  CHECK(found.run_id == "aaaaaaaa");
  CHECK(found.status == "failed");
  CHECK(found.command == "make aaaaaaaa");
  CHECK(found.pty);
  CHECK(found.background);
  CHECK(found.timeout_secs == 7);
  CHECK(found.max_output_bytes == 99'999);
  CHECK(found.watch_json == run.watch_json);
  CHECK(found.meta_json == run.meta_json);
  CHECK(found.has_exit_code);
  CHECK(found.exit_code == 2);
  CHECK(found.error_message == "exit code 2");
  CHECK(found.started_at == run.started_at);
  CHECK(found.finished_at == 5);
  CHECK(found.last_seq == 1);
  CHECK(found.output_bytes == 5);
  CHECK(found.stored_bytes == 5);
  CHECK(found.not_kept_items == 0);
  CHECK(reader->runs("", 10)->size() == 3);
  CHECK(reader->runs("", 1)->size() == 1);
  CHECK(reader->runs("nobody", 10)->empty());
  CHECK(reader->run("bbbbbbbb")->session_id == "two");
  CHECK(reader->run("zzzzzzzz").status().code() == "run_not_found");
  CHECK(reader->items("zzzzzzzz", 0, 10)->items.empty());
}

TEST_CASE("a cursor continues where it stopped, over any number of segments") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.start("other") == Taken::kYes);
  constexpr std::uint64_t kItems = 2'000;
  for (std::uint64_t seq = 1; seq <= kItems; ++seq) {
    const std::string text(seq % 97, static_cast<char>('a' + seq % 26));
    REQUIRE(desk.out("r", seq, text + std::to_string(seq)) == Taken::kYes);
    REQUIRE(desk.out("other", seq, "x") == Taken::kYes);
    if (seq % 500 == 0) REQUIRE(desk.flush());
  }
  const auto reader = desk.reader();
  std::uint64_t since = 0;
  std::uint64_t expected = 1;
  for (bool more = true; more;) {
    const auto page = reader->items("r", since, 77);
    REQUIRE(page);
    for (const StoredItem& item : page->items) {
      REQUIRE(item.seq == expected);
      REQUIRE(item.payload == std::string(expected % 97, static_cast<char>('a' + expected % 26)) +
                                  std::to_string(expected));
      ++expected;
    }
    since = page->next_since;
    more = page->more;
  }
  CHECK(expected == kItems + 1);
  const auto tail = reader->tail("r", 50);
  REQUIRE(tail);
  REQUIRE(tail->items.size() == 50);
  CHECK(tail->items.front().seq == kItems - 49);
  CHECK(tail->next_since == kItems);
  CHECK(reader->tail("r", 0)->items.empty());
  CHECK(reader->tail("r", 9'999)->items.size() == kItems);
  CHECK(reader->items("r", kItems, 10)->items.empty());
  CHECK(reader->items("r", kMaxSeq, 10)->items.empty());
  // Bounded by bytes, too, but never nothing.
  CHECK(reader->items("r", 0, 100, 1)->items.size() == 1);
}

TEST_CASE("an item that is larger than a segment is whole") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  const std::string large(kMaxItemBytes, 'L');
  REQUIRE(desk.out("r", 1, "before") == Taken::kYes);
  REQUIRE(desk.out("r", 2, large) == Taken::kYes);
  REQUIRE(desk.out("r", 3, "behind") == Taken::kYes);
  REQUIRE(desk.flush());
  // It alone is as much as a page may hold.
  CHECK(desk.items("r").items.size() == 1);
  CHECK(desk.items("r").more);
  const ItemPage page = desk.items("r", 1);
  REQUIRE(page.items.size() == 1);
  CHECK(page.more);
  CHECK(page.items[0].payload == large);
  CHECK(desk.items("r", page.next_since).items[0].payload == "behind");
}

TEST_CASE("messages that an agent has seen are gone, and the others wait for it") {
  Desk desk;
  REQUIRE(desk.open());
  for (std::uint64_t seq = 1; seq <= 4; ++seq) {
    REQUIRE(desk.journal->add_backlog({"s", seq, "r", "up", "text " + std::to_string(seq)}) ==
            Taken::kYes);
  }
  REQUIRE(desk.journal->add_backlog({"other", 1, "r", "up", "theirs"}) == Taken::kYes);
  REQUIRE(desk.journal->drain_backlog("s", 2) == Taken::kYes);
  REQUIRE(desk.flush());
  const auto reader = desk.reader();
  const auto waiting = reader->backlog("s", 0, 10);
  REQUIRE(waiting);
  REQUIRE(waiting->size() == 2);
  CHECK((*waiting)[0].seq == 3);
  CHECK((*waiting)[0].payload == "text 3");
  CHECK((*waiting)[0].event == "up");
  CHECK((*waiting)[0].created_at == desk.clock.wall().count());
  CHECK(reader->backlog("s", 3, 10)->size() == 1);
  CHECK(reader->backlog("other", 0, 10)->size() == 1);
}

TEST_CASE("a call of a host's tool is recorded when it begins, and again when it ends") {
  Desk desk;
  REQUIRE(desk.open());
  HostCallRecord call;
  CHECK(desk.journal->put_call(call) == Taken::kWrongUse);
  for (const char* id : {"AAAAaaa1", "BBBBbbb2"}) {
    call.call_id = id;
    call.session_id = id[0] == 'A' ? "s" : "t";
    call.workspace = "/w";
    call.tool = "open_buffer";
    call.pid = 7;
    call.pid_started = 8;
    call.pid_space = "here";
    REQUIRE(desk.journal->put_call(call) == Taken::kYes);
  }
  call.outcome = "cancelled";
  call.finished_at = desk.clock.wall().count() + 5;
  REQUIRE(desk.journal->put_call(call) == Taken::kYes);
  REQUIRE(desk.flush());
  const auto reader = desk.reader();
  const auto going = reader->host_calls("", JournalReader::CallsThat::kGoOn, 10);
  REQUIRE(going);
  REQUIRE(going->size() == 1);
  CHECK(going->front().call_id == "AAAAaaa1");
  CHECK(going->front().tool == "open_buffer");
  CHECK(going->front().started_at == desk.clock.wall().count());
  CHECK(going->front().pid_space == "here");
  const auto ended = reader->host_calls("", JournalReader::CallsThat::kHaveEnded, 10);
  REQUIRE(ended);
  REQUIRE(ended->size() == 1);
  CHECK(ended->front().outcome == "cancelled");
  CHECK(ended->front().finished_at == call.finished_at);
  CHECK(reader->host_calls("t", JournalReader::CallsThat::kGoOn, 10)->empty());
  CHECK(reader->host_calls("t", JournalReader::CallsThat::kHaveEnded, 10)->size() == 1);
}

TEST_CASE("decisions are found by session, run, rule, verdict and time, oldest or newest first") {
  Desk desk;
  REQUIRE(desk.open());
  const auto add = [&desk](std::int64_t at, const char* session, const char* run,
                           const char* decision, const char* rule) {
    DecisionRecord record;
    record.created_at = at;
    record.session_id = session;
    record.run_id = run;
    record.decision = decision;
    record.rule = rule;
    record.generation = 3;
    REQUIRE(desk.journal->add_decision(record) == Taken::kYes);
  };
  add(100, "a", "", "allow", "default");
  add(200, "a", "AAAAaaa1", "deny", "git.force_push");
  add(300, "b", "", "ask", "git.push");
  REQUIRE(desk.flush());
  const auto reader = desk.reader();
  const auto rules = [](const Result<std::vector<DecisionRecord>>& found) {
    std::string all;
    REQUIRE(found);
    for (const DecisionRecord& each : *found) all += each.rule + " ";
    return all;
  };
  const auto first = reader->decisions({}, 1);
  REQUIRE(first->size() == 1);
  CHECK(first->front().generation == 3);
  CHECK(rules(reader->decisions({.above_id = first->front().id}, 10)) ==
        "git.force_push git.push ");
  CHECK(rules(reader->decisions({.session = "a"}, 10)) == "default git.force_push ");
  CHECK(rules(reader->decisions({.run = "AAAA"}, 10)) == "git.force_push ");
  CHECK(rules(reader->decisions({.rule = "git.*"}, 10)) == "git.force_push git.push ");
  CHECK(rules(reader->decisions({.rule = "git"}, 10)).empty());
  CHECK(rules(reader->decisions({.decision = "ask"}, 10)) == "git.push ");
  CHECK(rules(reader->decisions({.since = 200}, 1)) == "git.force_push ");
  CHECK(rules(reader->last_decisions({}, 2)) == "git.force_push git.push ");
  CHECK(rules(reader->last_decisions({.session = "a", .decision = "allow"}, 2)) == "default ");
}

TEST_CASE("a journal that is opened again continues, and knows its contents") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "one") == Taken::kYes);
  REQUIRE(desk.open());  // the first one's destructor has written all
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "again") == Taken::kYes);  // only the file knows that it is there
  REQUIRE(desk.out("r", 2, "two") == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("r");
  REQUIRE(page.items.size() == 2);
  CHECK(page.items[0].payload == "one");
  CHECK(page.items[1].payload == "two");
  CHECK(desk.journal->stats().not_kept == 1);
}

TEST_CASE("items that were left out are named by a note in their place") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 3, "three") == Taken::kYes);
  REQUIRE(desk.out("r", 4, "four") == Taken::kYes);
  REQUIRE(desk.out("r", 9, "nine") == Taken::kYes);
  RunRecord end = desk.record("r");
  end.finished_at = 1;
  end.last_seq = 12;
  REQUIRE(desk.journal->put_run(end) == Taken::kYes);
  REQUIRE(desk.flush());
  const ItemPage page = desk.items("r");
  REQUIRE(page.items.size() == 6);
  CHECK(page.items[0].seq == 1);
  CHECK(page.items[0].type == ItemType::kNote);
  CHECK(page.items[0].payload == "items 1 to 2 were not kept");
  CHECK(page.items[0].meta == R"({"from":1,"to":2})");
  CHECK(page.items[1].payload == "three");
  CHECK(page.items[3].seq == 5);
  CHECK(page.items[3].meta == R"({"from":5,"to":8})");
  CHECK(page.items[4].seq == 9);
  CHECK(page.items[5].seq == 10);
  CHECK(page.items[5].meta == R"({"from":10,"to":12})");
  CHECK(desk.reader()->run("r")->not_kept_items == 9);
  CHECK(desk.reader()->run("r")->last_seq == 12);
}

TEST_CASE("the file can be read with plain SQL, under the documented names") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("r") == Taken::kYes);
  REQUIRE(desk.out("r", 1, "line one\n") == Taken::kYes);
  REQUIRE(desk.journal->append("r", {2, ItemType::kEvent, "up", R"({"event":"up"})", 42}) ==
          Taken::kYes);
  REQUIRE(desk.journal->append("r", {3, ItemType::kNote, "n", "", 43}) == Taken::kYes);
  REQUIRE(desk.flush());
  Plain plain(desk.file());
  CHECK(plain.rows("SELECT run_id, session_id, status, timeout_secs, max_output_bytes, pty,"
                   " truncated FROM exec_runs") == std::vector<std::string>{"r|s|running|0|0|0|0"});
  const std::string now = std::to_string(desk.clock.wall().count());
  CHECK(plain.rows("SELECT seq, item_type, payload, meta_json, created_at FROM exec_run_items"
                   " WHERE run_id = 'r' ORDER BY seq") ==
        std::vector<std::string>{"1|stdout|line one\n|NULL|" + now,
                                 R"(2|event|up|{"event":"up"}|42)", "3|note|n|NULL|43"});
  CHECK(plain.rows("SELECT payload FROM exec_run_items WHERE run_id = 'r' AND seq > 2") ==
        std::vector<std::string>{"n"});
  CHECK(plain.rows("PRAGMA journal_mode") == std::vector<std::string>{"wal"});
}

TEST_CASE("no other user can read the record") {
  Desk desk;
  const mode_t before = ::umask(0);
  const Status opened = desk.open();
  const Taken taken = desk.start("r");
  const Status flushed = desk.flush();
  ::umask(before);
  REQUIRE(opened);
  REQUIRE(taken == Taken::kYes);
  REQUIRE(flushed);
  CHECK(mode_of(desk.directory()) == 0700);
  CHECK(mode_of(desk.file()) == 0600);
  CHECK(mode_of(desk.file() + "-wal") == 0600);
  CHECK(mode_of(desk.file() + "-shm") == 0600);
  desk.journal.reset();
  fs::permissions(desk.file(), fs::perms(0644));
  REQUIRE(desk.open());
  CHECK(mode_of(desk.file()) == 0600);
}

TEST_CASE("wrong use is refused immediately and changes nothing") {
  Desk desk;
  REQUIRE(desk.open());
  CHECK(desk.out("unknown", 1, "x") == Taken::kWrongUse);
  CHECK(desk.start("") == Taken::kWrongUse);
  CHECK(desk.start(std::string(kMaxJournalIdBytes + 1, 'x')) == Taken::kWrongUse);
  REQUIRE(desk.start("r") == Taken::kYes);
  CHECK(desk.out("r", 0, "x") == Taken::kWrongUse);
  CHECK(desk.out("r", kMaxSeq + 1, "x") == Taken::kWrongUse);
  CHECK(desk.out("r", 1, std::string(kMaxItemBytes + 1, 'x')) == Taken::kWrongUse);
  REQUIRE(desk.out("r", 5, "x") == Taken::kYes);
  CHECK(desk.out("r", 5, "x") == Taken::kWrongUse);
  CHECK(desk.out("r", 4, "x") == Taken::kWrongUse);
  CHECK(desk.journal->add_backlog({"s", 0, "r", "e", "p"}) == Taken::kWrongUse);
  desk.journal->forget_run("r");
  CHECK(desk.out("r", 6, "x") == Taken::kWrongUse);
  CHECK(wait_for([&](JournalDone done) { desk.journal->close(std::move(done)); }));
  CHECK(desk.start("r") == Taken::kWrongUse);
  CHECK(desk.flush().code() == "journal_closed");
  CHECK(desk.items("r").items.size() == 2);  // a note and the one
}

TEST_CASE("an empty journal has nothing to read") {
  Desk desk;
  CHECK(JournalReader::open(desk.directory()).status().code() == "state_dir_missing");
  fs::create_directory(desk.directory());
  fs::permissions(desk.directory(), fs::perms(0700));
  CHECK(JournalReader::open(desk.directory()).status().code() == "journal_missing");
  CHECK(fs::is_empty(desk.directory()));
}

TEST_CASE("a group is durable whole or not at all") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("run00001") == Taken::kYes);
  REQUIRE(desk.flush());
  constexpr std::uint64_t kGroups = 200;
  std::atomic<bool> over{false};
  int torn = 0;
  std::thread watcher([&] {
    Plain file(desk.file());
    while (!over) {
      const auto row = file.rows(
          "SELECT (SELECT MAX(seq) FROM exec_run_items) > "
          "(SELECT COALESCE(MAX(seq), 0) FROM backlog_messages)");
      if (row != std::vector<std::string>{"0"} && row != std::vector<std::string>{"NULL"}) ++torn;
    }
  });
  for (std::uint64_t seq = 1; seq <= kGroups; ++seq) {
    desk.journal->begin_group();
    desk.journal->append("run00001", {seq, ItemType::kStdout, "line\n"});
    std::this_thread::yield();
    desk.journal->add_backlog({"s", seq, "run00001", "event", "{}", 0});
    desk.journal->end_group();
  }
  REQUIRE(desk.flush());
  over = true;
  watcher.join();
  CHECK(torn == 0);
  CHECK(desk.items("run00001").items.size() == kGroups);
}

TEST_CASE("a group that is left open does not delay other writes forever") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.start("run00001") == Taken::kYes);
  desk.journal->begin_group();
  REQUIRE(desk.out("run00001", 1, "line\n") == Taken::kYes);
  REQUIRE(desk.flush());
  CHECK(desk.items("run00001").items.size() == 1);
}

}  // namespace
}  // namespace gibbous::testing
