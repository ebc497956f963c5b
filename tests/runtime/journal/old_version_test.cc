// Files of every earlier version keep what they hold when they are migrated, and when they are
// repaired.
#include <algorithm>
#include <string>
#include <vector>

#include "runtime/journal/journal_repair.h"
#include "runtime/journal/schema.h"
#include "tests/runtime/journal/crew.h"
#include "tests/runtime/journal/old_journal.h"

namespace gibbous::testing {
namespace {

using Texts = std::vector<std::string>;

constexpr std::int64_t kBegin = 1'764'000'000'000;  // when the files were written
constexpr std::size_t kLetters = 150;
constexpr std::uint64_t kLast = 11;

// "seq type payload", with the payloads of the five lines cut.
Texts items_of(JournalReader& reader, const std::string& run) {
  const auto page = reader.items(run, 0, 100);
  if (!page) return {page.status().message()};
  Texts items;
  for (const StoredItem& item : page->items) {
    std::string payload = item.payload;
    if (payload.size() > kLetters) payload = payload.substr(0, 9) + "...";
    items.push_back(std::to_string(item.seq) + " " + to_string(item.type) + " " + payload);
  }
  return items;
}

void check_ended_run(JournalReader& reader) {
  const auto run = reader.run("ended");
  REQUIRE(run);
  CHECK(run->client == "s");
  CHECK(run->session_id == "s");
  CHECK(run->command == "make test");
  CHECK(run->status == "failed");
  CHECK(run->exit_code == 2);
  CHECK(run->error_message == "exit 2");
  CHECK(run->queued_at == kBegin);
  CHECK(run->started_at == kBegin);
  CHECK(run->finished_at == kBegin + 135);
  CHECK(run->last_seq == kLast);
  CHECK(run->not_kept_items == 2);
  CHECK(run->meta_json == R"({"tool":"bg_start","cwd":"/home/me/project"})");
  CHECK(items_of(reader, "ended") == Texts{"1 state running", "2 stdout line 0 aa...",
                                           "3 stderr line 1 bb...", "4 stdout line 2 cc...",
                                           "5 stderr line 3 dd...", "6 stdout line 4 ee...",
                                           "7 event ready", "8 note items 8 to 9 were not kept",
                                           "10 stdout after a gap\n", "11 state failed"});
  const auto event = reader.items("ended", 6, 1);
  REQUIRE(event);
  CHECK(event->items.at(0).meta == R"({"line":"line 4"})");
}

void check_other_records(JournalReader& reader, const OldJournal& old) {
  const auto going = reader.run("going");
  REQUIRE(going);
  CHECK(going->status == "running");
  CHECK(going->watch_json == R"([{"regex":"ready","event":"up"}])");
  CHECK(items_of(reader, "going") == Texts{"1 state running", "2 stdout it goes on\n"});
  const auto messages = reader.backlog("s", 0, 10);
  REQUIRE(messages);
  REQUIRE(messages->size() == 2);
  CHECK(messages->front().seq == 1);
  CHECK(messages->front().event == "run_ended");
  CHECK(messages->front().payload == R"({"run":"ended"})");
  CHECK(messages->front().for_agent);
  const auto decisions = reader.decisions({}, 10);
  REQUIRE(decisions);
  REQUIRE(decisions->size() == 1);
  CHECK(decisions->front().rule == "make.any");
  CHECK(decisions->front().decision == "allow");
  const auto calls = reader.host_calls("s", JournalReader::CallsThat::kHaveEnded, 10);
  REQUIRE(calls);
  REQUIRE(calls->size() == (old.has_host_calls ? 1 : 0));
  if (old.has_host_calls) CHECK(calls->front().tool == "open_buffer");
}

// A new worker executes what was queued, and takes over what was left behind.
void check_queue(Crew& crew, const OldJournal& old) {
  const auto hand = crew.hire("w-new");
  const auto claimed = hand->claim();
  REQUIRE(claimed);
  REQUIRE(claimed->size() == 1);
  const RunRecord& run = claimed->front();
  CHECK(run.run_id == "waiting");
  CHECK(run.attempt == 1);
  CHECK(run.safe_to_repeat == old.has_queue);
  CHECK(run.request_id == (old.has_request_ids ? "r-1" : ""));
  CHECK(run.priority == (old.has_priorities ? 5 : 0));
  CHECK(run.max_attempts == (old.has_priorities ? 2 : 0));
  CHECK(run.meta_json.find(R"("start":{"command":"make install")") != std::string::npos);
  RunRecord second = queued("second", run.session_id);
  second.client = run.client;
  second.workspace = run.workspace;
  REQUIRE(hand->put(second));
  CHECK(hand->claimed().empty());  // one run of a queue after the other
  const auto orphans = hand->orphans();
  REQUIRE(orphans);
  REQUIRE(orphans->size() == 1);
  CHECK(orphans->front().run.run_id == "going");
  CHECK(orphans->front().was.worker_id == (old.has_queue ? "w-old" : ""));
  CHECK(crew.reader()->requests("w-new", 10)->size() == (old.has_queue ? 1 : 0));
  CHECK(crew.reader()->usage("going", 0, 10)->size() == (old.has_queue ? 1 : 0));
  const auto messages = answer_of<std::vector<BacklogMessage>>(
      [&](auto done) { return hand->journal->take_backlog("s", std::move(done)); });
  REQUIRE(messages);
  CHECK(messages->size() == 2);
}

// Its items continue where the record ends.
void check_items_follow(Crew& crew) {
  const auto hand = crew.hire("w-later");
  crew.dies("w-new");
  REQUIRE(hand->orphans());
  RunRecord run = crew.run("going");
  REQUIRE(hand->put(run));
  REQUIRE(hand->journal->append("going", {3, ItemType::kStdout, "later\n"}) == Taken::kYes);
  run.status = "completed";
  run.finished_at = kBegin + 1'000;
  REQUIRE(hand->put(run));
  CHECK(items_of(*crew.reader(), "going") ==
        Texts{"1 state running", "2 stdout it goes on\n", "3 stdout later\n"});
  const Status whole = check_journal(crew.directory());
  CHECK(whole.message().empty());
}

void check_all(Crew& crew, const OldJournal& old) {
  Plain plain(crew.file());
  CHECK(plain.rows("PRAGMA user_version") == Texts{std::to_string(journal_migrations().size())});
  if (old.has_runs) {
    check_ended_run(*crew.reader());
    check_other_records(*crew.reader(), old);
    check_queue(crew, old);
    check_items_follow(crew);
  }
}

TEST_CASE("a file of every earlier version is migrated with all that it holds") {
  for (const OldJournal& old : kOldJournals) {
    INFO(old.name);
    Crew crew;
    make_old_journal(crew.directory(), old.name);
    CHECK(JournalReader::open(crew.directory()).status().code() == "journal_older");
    Hand hand(crew, "first", "this boot");
    REQUIRE(hand.join());
    REQUIRE(hand.leave());
    check_all(crew, old);
  }
}

TEST_CASE("a file of every earlier version is repaired with all that it holds") {
  for (const OldJournal& old : kOldJournals) {
    INFO(old.name);
    Crew crew;
    make_old_journal(crew.directory(), old.name);
    const auto report = repair_journal(crew.directory());
    REQUIRE(report);
    CHECK(report->holes == 0);
    CHECK(report->runs == (old.has_runs ? 3 : 0));
    check_all(crew, old);
  }
}

// The tables as a new file has them, in any order of their columns.
Texts tables_of(const std::string& file) {
  return Plain(file).rows(
      "SELECT each.name, part.name, part.type, part.\"notnull\", part.dflt_value, part.pk"
      " FROM sqlite_schema AS each JOIN pragma_table_info(each.name) AS part"
      " WHERE each.type IN ('table', 'view') AND each.name NOT LIKE 'sqlite%' ORDER BY 1, 2");
}

Texts indexes_of(const std::string& file) {
  return Plain(file).rows(
      "SELECT each.name, part.name, part.seqno FROM sqlite_schema AS each"
      " JOIN pragma_index_info(each.name) AS part WHERE each.type = 'index'"
      " AND each.name NOT LIKE 'sqlite%' ORDER BY 1, 3");
}

TEST_CASE("a migrated file has the tables of a new one") {
  Desk fresh;
  REQUIRE(fresh.open());
  for (const OldJournal& old : kOldJournals) {
    INFO(old.name);
    Desk desk;
    make_old_journal(desk.directory(), old.name);
    REQUIRE(desk.open());
    CHECK(tables_of(desk.file()) == tables_of(fresh.file()));
    CHECK(indexes_of(desk.file()) == indexes_of(fresh.file()));
  }
}

}  // namespace
}  // namespace gibbous::testing
