// Decisions on their way into the journal: none is lost silently.
#include "bindings/host/decision_journal.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "runtime/journal/database.h"
#include "tests/runtime/recording/desk.h"
#include "tests/support/catch.h"

namespace gibbous::host {
namespace {

using Catch::Matchers::Contains;
using testing::Recorded;

RecordingOptions impatient() {
  RecordingOptions options;
  options.journal.busy_timeout = Millis{0};
  options.journal.retry_interval = Millis{10};
  options.journal.max_queue_bytes = 64 << 10;
  return options;
}

class Desk {
 public:
  explicit Desk(RecordingOptions options = {}, const std::string& directory = "")
      : recorded(std::move(options), {}, directory),
        decisions(std::make_unique<DecisionJournal>(
            *recorded.recording, recorded.table.clock,
            [this](const std::string& message) { problems.push_back(message); })) {}

  void add(const std::string& rule, const std::string& text = "") {
    DecisionRecord decision;
    decision.session_id = "s";
    decision.decision = "deny";
    decision.rule = rule;
    decision.record_json = Json({{"command", text}}).dump();
    decision.created_at = 1;
    decisions->add(std::move(decision));
  }
  bool until(const std::function<bool()>& done) { return recorded.table.loop.until(done); }
  // Returns the decisions in the journal once it is closed.
  std::vector<DecisionRecord> recorded_by_the_end() {
    recorded.close();
    auto reader = JournalReader::open(recorded.directory());
    if (!reader) FAIL(reader.status().message());
    auto all = (*reader)->decisions({}, 100'000);
    if (!all) FAIL(all.status().message());
    return *all;
  }

  std::vector<std::string> problems;
  Recorded recorded;
  std::unique_ptr<DecisionJournal> decisions;
};

TEST_CASE("the first decision opens the journal, and none is lost meanwhile") {
  Desk desk;
  CHECK_FALSE(std::filesystem::exists(desk.recorded.directory() + "/sessions.db"));
  for (const char* rule : {"one", "two", "three"}) desk.add(rule);
  CHECK(desk.decisions->waiting() == 3);
  REQUIRE(desk.until([&] { return desk.decisions->waiting() == 0; }));
  desk.add("four");
  const auto all = desk.recorded_by_the_end();
  REQUIRE(all.size() == 4);
  CHECK(all[0].rule == "one");
  CHECK(all[3].rule == "four");
  CHECK(desk.problems.empty());
}

TEST_CASE("a decision of a host that ends while the journal is being opened is recorded") {
  Desk desk;
  desk.add("early");
  desk.recorded.recording->hand_over();
  const auto all = desk.recorded_by_the_end();
  REQUIRE(all.size() == 1);
  CHECK(all[0].rule == "early");
}

TEST_CASE("decisions outlast a journal that is locked, and a gap is counted in its place") {
  Desk desk(impatient());
  desk.add("before");
  REQUIRE(desk.until([&] { return desk.decisions->waiting() == 0; }));
  const std::string file = desk.recorded.directory() + "/sessions.db";
  REQUIRE(desk.until([&] {
    auto reader = JournalReader::open(desk.recorded.directory());
    return reader && !(*reader)->decisions({}, 1)->empty();
  }));
  auto lock = Database::open(file, Database::Mode::kWrite, Millis{1'000});
  REQUIRE(lock);
  REQUIRE((*lock)->execute("BEGIN IMMEDIATE"));
  const std::string text(10'000, 'x');
  std::size_t added = 1;
  // The journal's queue and the decisions before it fill up.
  REQUIRE(desk.until([&] {
    desk.add("locked", text);
    ++added;
    return desk.decisions->lost() > 0;
  }));
  const std::uint64_t lost = desk.decisions->lost();
  REQUIRE(desk.problems.size() == 1);  // once
  CHECK_THAT(desk.problems[0], Contains("decisions are not recorded"));
  REQUIRE((*lock)->execute("ROLLBACK"));
  REQUIRE(desk.until([&] { return desk.decisions->lost() == 0; }));
  desk.add("after");
  const auto all = desk.recorded_by_the_end();
  REQUIRE(all.size() == added - lost + 2);
  CHECK(all[all.size() - 2].decision == "lost");
  CHECK(Json::parse(all[all.size() - 2].record_json)["lost"] == lost);
  CHECK(Json::parse(all[all.size() - 2].record_json)["version"] == kDecisionVersion);
  CHECK(all.back().rule == "after");
  CHECK(desk.problems.size() == 1);
}

TEST_CASE("decisions wait for a journal that cannot be opened yet, and the problem is named once") {
  testing::TempDir dir;
  const std::string file = dir.write("state", "no directory");
  RecordingOptions options;
  options.journal.retry_interval = Millis{20};
  Desk desk(std::move(options), file);
  for (int i = 0; i < 3; ++i) desk.add("waits");
  REQUIRE(desk.until([&] { return !desk.problems.empty(); }));
  desk.add("waits, too");
  CHECK(desk.decisions->waiting() == 4);
  CHECK(desk.decisions->lost() == 0);
  CHECK_THAT(desk.problems[0], Contains("decisions are not recorded") && Contains(file));
  std::filesystem::remove(file);
  REQUIRE(desk.until([&] { return desk.decisions->waiting() == 0; }));
  CHECK(desk.problems.size() == 1);
}

TEST_CASE("a read-only state directory is an outage that is reported") {
  testing::TempDir dir;
  const std::string state = dir.path() + "/state";
  std::filesystem::create_directory(state);
  std::filesystem::permissions(state, std::filesystem::perms(0500));
  Desk desk({}, state);
  desk.add("waits");
  const bool is_root = ::geteuid() == 0;  // permissions do not stop root
  REQUIRE(desk.until(
      [&] { return is_root ? desk.decisions->waiting() == 0 : !desk.problems.empty(); }));
  CHECK(desk.problems.size() == (is_root ? 0 : 1));
  std::filesystem::permissions(state, std::filesystem::perms(0700));
}

}  // namespace
}  // namespace gibbous::host
