// The rows of runs that have ended are redacted, and nothing of what they were is left in the file.
#include <sys/stat.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/journal/kill_request.h"
#include "tests/runtime/journal/crew.h"
#include "tests/support/file_bytes.h"

namespace gibbous::testing {
namespace {

constexpr const char* kSecret = "s3cr3tW0rd";

void redact(RunRecord& run) {
  run.command = "***";
  run.meta_json = R"({"kept":1})";
  run.watch_json.clear();
  if (!run.error_message.empty()) run.error_message = "redacted";
}

// A run whose row has the secret in every text, in several pages.
RunRecord secret_run(const std::string& id) {
  RunRecord run = queued(id);
  run.command = std::string("login --password ") + kSecret;
  run.watch_json = std::string("[\"") + kSecret + "\"]";
  std::string large;
  for (int i = 0; i < 2'000; ++i) large += kSecret;
  run.meta_json = R"({"start":")" + large + "\"}";
  return run;
}

std::unique_ptr<Hand> hire(Crew& crew, const std::string& id) {
  auto hand = crew.hire(id);
  hand->options.redact_ended = redact;
  hand->journal.reset();
  auto made = Journal::create(hand->options, crew.clock);
  REQUIRE(made.ok());
  hand->journal = std::move(*made);
  REQUIRE(hand->join());
  return hand;
}

// Waits until the log is emptied, which the journal does when it is idle.
bool wiped(const Crew& crew) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (journal_holds(crew.directory(), kSecret)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

RunRecord row(Crew& crew, const std::string& id) {
  auto reader = JournalReader::open(crew.directory());
  REQUIRE(reader.ok());
  auto run = (*reader)->run(id);
  REQUIRE(run.ok());
  return *run;
}

TEST_CASE("a queued run is whole in a private file, and redacted once it has ended") {
  Crew crew;
  auto hand = hire(crew, "w");
  REQUIRE(hand->put(secret_run("r")));
  CHECK(row(crew, "r").command == secret_run("r").command);
  CHECK(row(crew, "r").meta_json == secret_run("r").meta_json);
  struct stat file {};
  REQUIRE(::stat(crew.file().c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
  REQUIRE(hand->claimed() == std::vector<std::string>{"r"});
  REQUIRE(hand->put(with_status(secret_run("r"), "running")));
  CHECK(row(crew, "r").command == secret_run("r").command);
  RunRecord end = with_status(secret_run("r"), "failed");
  end.error_message = std::string("cannot log in with ") + kSecret;
  REQUIRE(hand->put(end));
  CHECK(row(crew, "r").command == "***");
  CHECK(row(crew, "r").meta_json == R"({"kept":1})");
  CHECK(row(crew, "r").error_message == "redacted");
  CHECK(row(crew, "r").watch_json.empty());
  CHECK(wiped(crew));
}

TEST_CASE("a run that is killed while it is queued is redacted") {
  Crew crew;
  auto hand = hire(crew, "w");
  REQUIRE(hand->put(secret_run("r")));
  REQUIRE(hand->kill("r")->killed);
  CHECK(row(crew, "r").command == "***");
  CHECK(row(crew, "r").status == "killed");
  CHECK(wiped(crew));
}

TEST_CASE("a run that a process without a journal kills while it is queued is redacted") {
  Crew crew;
  auto hand = hire(crew, "w");
  REQUIRE(hand->put(secret_run("r")));
  const auto killed = request_kill(crew.directory(), "r", "", crew.clock, Millis{5'000}, redact);
  REQUIRE(killed.ok());
  CHECK(killed->killed);
  CHECK(row(crew, "r").command == "***");
  CHECK(wiped(crew));
}

TEST_CASE("a run that waited too long in the queue is redacted") {
  Crew crew;
  auto hand = hire(crew, "w");
  REQUIRE(hand->put(secret_run("r")));  // queued at the beginning of time
  REQUIRE(wait_for([&](JournalDone done) { hand->journal->tidy(std::move(done)); }));
  CHECK(row(crew, "r").status == "killed");
  CHECK(row(crew, "r").command == "***");
  CHECK(wiped(crew));
}

TEST_CASE("a run that is queued again is whole until its last end") {
  Crew crew;
  auto hand = hire(crew, "w");
  REQUIRE(hand->put(secret_run("r")));
  REQUIRE(hand->claimed() == std::vector<std::string>{"r"});
  const auto again = hand->requeue("r");
  REQUIRE(again.ok());
  CHECK(again->command == secret_run("r").command);
  CHECK(again->meta_json == secret_run("r").meta_json);
  REQUIRE(hand->kill("r")->killed);
  CHECK(row(crew, "r").command == "***");
  CHECK(wiped(crew));
}

TEST_CASE("many runs leave nothing of their secrets when the journal is closed") {
  Crew crew;
  auto hand = hire(crew, "w");
  for (int i = 0; i < 300; ++i) {
    RunRecord run = secret_run("r" + std::to_string(i));
    run.meta_json.resize(static_cast<std::size_t>(50 * i + 10), 'x');
    REQUIRE(hand->journal->put_run(run) == Taken::kYes);
    if (i % 7 == 0) REQUIRE(hand->flush());
    if (i % 3 == 0) REQUIRE(hand->journal->put_run(with_status(run, "running")) == Taken::kYes);
  }
  REQUIRE(hand->flush());
  for (int i = 299; i >= 0; --i) REQUIRE(hand->kill("r" + std::to_string(i)).ok());
  for (int i = 0; i < 300; i += 3) {
    REQUIRE(hand->put(with_status(secret_run("r" + std::to_string(i)), "completed")));
  }
  hand->journal.reset();
  CHECK_FALSE(journal_holds(crew.directory(), kSecret));
}

TEST_CASE("a run that had ended when its worker died is finished and redacted by the next one") {
  Crew crew;
  auto first = hire(crew, "first");
  RunRecord run = with_status(secret_run("r"), "running");
  REQUIRE(first->put(run));
  run.status = "completed";  // and more items were to come
  REQUIRE(first->put(run));
  CHECK(row(crew, "r").command == run.command);
  crew.dies("first");
  auto second = hire(crew, "second");
  REQUIRE(second->orphans().ok());
  CHECK(row(crew, "r").finished_at != 0);
  CHECK(row(crew, "r").status == "completed");
  CHECK(row(crew, "r").command == "***");
}

TEST_CASE("rows that another process left whole are redacted with the next commit") {
  Crew crew;
  auto plain = crew.hire("plain");
  RunRecord run = with_status(secret_run("r"), "running");
  REQUIRE(plain->put(run));
  REQUIRE(plain->put(with_status(run, "completed")));
  CHECK(row(crew, "r").command == run.command);
  auto hand = hire(crew, "w");
  CHECK(row(crew, "r").command == "***");
  CHECK(wiped(crew));
}

}  // namespace
}  // namespace gibbous::testing
