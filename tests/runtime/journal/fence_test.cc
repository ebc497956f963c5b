// The fence: a worker that slept while others took its runs over writes into none of them.
#include <string>
#include <vector>

#include "tests/runtime/journal/crew.h"

namespace gibbous::testing {
namespace {

using Words = std::vector<std::string>;

Taken out(Hand& hand, const std::string& id, std::uint64_t seq, const std::string& text) {
  return hand.journal->append(id, {seq, ItemType::kStdout, text});
}

// "seq payload" of each item.
Words items(const Crew& crew, const std::string& id) {
  Words words;
  const auto page = crew.reader()->items(id, 0, 100);
  REQUIRE(page);
  for (const StoredItem& item : page->items) {
    words.push_back(std::to_string(item.seq) + " " + item.payload);
  }
  return words;
}

// One executes `a`, and has written its first item.
struct Sleeper {
  Sleeper() : one(crew.hire("one")), two(crew.hire("two")) {
    REQUIRE(one->put(queued("a")));
    run = one->claim()->at(0);
    REQUIRE(one->put(with_status(run, "running")));
    REQUIRE(out(*one, "a", 1, "first") == Taken::kYes);
    REQUIRE(one->flush());
  }
  void is_taken_for_dead() {
    crew.dies("one");
    REQUIRE(two->orphans()->size() == 1);
  }
  Crew crew;
  std::unique_ptr<Hand> one;
  std::unique_ptr<Hand> two;
  RunRecord run;
};

TEST_CASE(
    "items for a run that another worker has taken are rejected, reported once, never durable") {
  Sleeper all;
  all.is_taken_for_dead();
  REQUIRE(out(*all.one, "a", 2, "late") == Taken::kYes);
  REQUIRE(all.one->flush());
  REQUIRE(out(*all.one, "a", 3, "later") == Taken::kYes);
  REQUIRE(all.one->flush());
  CHECK(all.one->refused() == Words{"a: run_not_owned"});
  CHECK(all.one->journal->durable_seq("a") == 1);
  CHECK(all.one->journal->stats().not_kept == 2);
  CHECK(items(all.crew, "a") == Words{"1 first"});
}

TEST_CASE("an end written by a worker that was suspended is refused and reported") {
  Sleeper all;
  all.is_taken_for_dead();
  const Status status = all.one->put(with_status(all.run, "completed"));
  CHECK(status.code() == "run_not_owned");
  CHECK(status.message() == "run a is worker two's now");
  CHECK(all.one->refused() == Words{"a: run_not_owned"});
  CHECK(all.crew.run("a").status == "running");
  REQUIRE(all.two->put(with_status(all.crew.run("a"), "lost")));
  CHECK(all.crew.run("a").status == "lost");
}

TEST_CASE("the new owner continues after what the suspended worker had written") {
  Sleeper all;
  all.is_taken_for_dead();
  REQUIRE(all.two->requeue("a"));
  const RunRecord again = all.two->claim()->at(0);
  CHECK(again.last_seq == 1);
  REQUIRE(all.two->put(with_status(again, "running")));
  REQUIRE(out(*all.two, "a", 2, "second") == Taken::kYes);
  REQUIRE(all.two->flush());
  REQUIRE(out(*all.one, "a", 3, "late") == Taken::kYes);
  REQUIRE(all.one->flush());
  CHECK(items(all.crew, "a") == Words{"1 first", "2 second"});
}

TEST_CASE("a worker that gets its own run back cannot write as the attempt before") {
  Sleeper all;
  REQUIRE(all.one->requeue("a"));
  REQUIRE(out(*all.one, "a", 2, "while it is queued") == Taken::kYes);
  REQUIRE(all.one->flush());
  const RunRecord again = all.one->claim()->at(0);
  CHECK(again.attempt == 2);
  CHECK(all.one->put(with_status(all.run, "completed")).code() == "run_requeued");
  REQUIRE(out(*all.one, "a", 3, "of the attempt before") == Taken::kYes);
  REQUIRE(all.one->put(with_status(again, "running")));
  REQUIRE(out(*all.one, "a", 4, "of this attempt") == Taken::kYes);
  REQUIRE(all.one->flush());
  const Words kept = items(all.crew, "a");
  REQUIRE(kept.size() == 3);
  CHECK(kept[0] == "1 first");
  CHECK(kept[1] == "2 items 2 to 3 were not kept");
  CHECK(kept[2] == "4 of this attempt");
}

TEST_CASE("a run keeps its owner and its attempt across an outage and a new connection") {
  Sleeper all;
  REQUIRE(all.one->requeue("a"));
  all.one->journal.reset();
  all.one->options.busy_timeout = Millis{0};
  all.one->options.retry_interval = std::chrono::hours(1);
  REQUIRE(all.one->join());
  REQUIRE(all.one->put(with_status(all.one->claim()->at(0), "running")));
  Plain plain(all.crew.file());
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  REQUIRE(out(*all.one, "a", 2, "second") == Taken::kYes);
  CHECK(all.one->flush().code() == "journal_busy");
  REQUIRE(plain.run("ROLLBACK"));
  REQUIRE(all.one->flush());
  CHECK(items(all.crew, "a") == Words{"1 first", "2 second"});
  CHECK(all.one->refused().empty());
  CHECK(all.one->put(with_status(all.run, "completed")).code() == "run_requeued");
}

TEST_CASE("an end is never overwritten, by another end or by an earlier state") {
  Crew crew;
  const auto worker = crew.hire("w");
  REQUIRE(worker->put(with_status(queued("a"), "running")));
  const RunRecord run = crew.run("a");
  RunRecord ended = with_status(run, "timeout");
  REQUIRE(worker->put(ended));
  for (const char* status : {"queued", "starting", "running", "completed", "killed", "lost"}) {
    INFO(status);
    CHECK(worker->put(with_status(run, status)).code() == "run_ended");
  }
  CHECK(crew.run("a").status == "timeout");
  ended.error_message = "after 3 s";
  CHECK(worker->put(ended));
  CHECK(crew.run("a").error_message == "after 3 s");
}

TEST_CASE("only requeue puts a run that was started back into the queue") {
  Crew crew;
  const auto worker = crew.hire("w");
  REQUIRE(worker->put(queued("a")));
  REQUIRE(worker->claim()->size() == 1);
  CHECK(worker->put(queued("a")).code() == "run_started");
  CHECK(crew.run("a").status == "starting");
}

TEST_CASE("no worker starts a run for another worker") {
  Crew crew;
  const auto worker = crew.hire("w");
  RunRecord run = with_status(queued("a"), "running");
  run.owner = "other";
  CHECK(worker->put(run).code() == "run_not_owned");
  CHECK(crew.reader()->run("a").status().code() == "run_not_found");
  run.owner = "w";
  CHECK(worker->put(run));
  run.attempt = 0;
  CHECK(worker->journal->put_run(run) == Taken::kWrongUse);
}

TEST_CASE("usage of a run of another worker is not kept") {
  Sleeper all;
  REQUIRE(all.one->journal->add_usage("a", {10, 1, 2, 3}) == Taken::kYes);
  REQUIRE(all.one->flush());
  all.is_taken_for_dead();
  REQUIRE(all.one->journal->add_usage("a", {20, 1, 2, 3}) == Taken::kYes);
  REQUIRE(all.two->journal->add_usage("a", {30, 4, 5, 6}) == Taken::kYes);
  REQUIRE(all.two->journal->add_usage("nobody", {30, 4, 5, 6}) == Taken::kYes);
  REQUIRE(all.one->flush());
  REQUIRE(all.two->flush());
  const auto usage = all.crew.reader()->usage("a", 0, 10);
  REQUIRE(usage->size() == 2);
  CHECK((*usage)[1].at == 30);
  CHECK((*usage)[1].rss_bytes == 4);
  CHECK((*usage)[1].cpu_ms == 5);
  CHECK((*usage)[1].processes == 6);
  CHECK(all.crew.reader()->usage("a", 10, 10)->size() == 1);
  CHECK(all.crew.reader()->usage("nobody", 0, 10)->empty());
}

TEST_CASE("samples of usage older than the window are dropped") {
  Crew crew;
  const auto worker = crew.hire("w");
  REQUIRE(worker->put(with_status(queued("a"), "running")));
  for (const std::int64_t at : {std::int64_t{1}, std::int64_t{2}, kUsageWindowMs + 2}) {
    REQUIRE(worker->journal->add_usage("a", {at, 0, 0, 0}) == Taken::kYes);
  }
  REQUIRE(worker->flush());
  const auto usage = crew.reader()->usage("a", 0, 10);
  REQUIRE(usage->size() == 2);
  CHECK(usage->front().at == 2);
}

}  // namespace
}  // namespace gibbous::testing
