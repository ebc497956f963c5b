// What one process asks of another: kills, their answers, and noticing that there is news.
#include "runtime/journal/kill_request.h"

#include <string>
#include <vector>

#include "tests/runtime/journal/crew.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("killing a queued run ends it at once, and no worker claims it") {
  Crew crew;
  const auto worker = crew.hire("w");
  const auto other = crew.hire("other");
  REQUIRE(worker->put(queued("a")));
  const auto request = other->kill("a", "TERM");
  REQUIRE(request);
  CHECK(request->killed);
  const RunRecord run = crew.run("a");
  CHECK(run.status == "killed");
  CHECK(run.finished_at != 0);
  CHECK(run.error_message == "killed while it was queued");
  CHECK(worker->claimed().empty());
  CHECK(worker->put(queued("a")).code() == "run_ended");
  CHECK(crew.reader()->request(request->id)->answer == "killed");
  CHECK(other->kill("a").status().code() == "run_ended");
}

TEST_CASE("a kill of a run in progress waits for its owner, who answers it") {
  Crew crew;
  const auto owner = crew.hire("owner");
  const auto other = crew.hire("other");
  REQUIRE(owner->put(queued("a")));
  REQUIRE(owner->claim()->size() == 1);
  const auto request = other->kill("a", "INT");
  REQUIRE(request);
  CHECK_FALSE(request->killed);
  CHECK(crew.run("a").status == "starting");
  CHECK(crew.reader()->requests("other", 10)->empty());
  const auto open = crew.reader()->requests("owner", 10);
  REQUIRE(open->size() == 1);
  CHECK((*open)[0].id == request->id);
  CHECK((*open)[0].run_id == "a");
  CHECK((*open)[0].kind == "kill");
  CHECK((*open)[0].argument == "INT");
  CHECK((*open)[0].created_at == crew.clock.wall().count());
  // The same again is the same; another signal is another request.
  CHECK(other->kill("a", "INT")->id == request->id);
  CHECK(other->kill("a", "KILL")->id != request->id);
  const auto answer = [&](std::int64_t id) {
    return done_of([&](JournalDone done) {
      return owner->journal->answer(id, "it has ended", std::move(done));
    });
  };
  REQUIRE(answer(request->id));
  CHECK(answer(request->id).code() == "request_not_found");
  CHECK(crew.reader()->request(request->id)->answer == "it has ended");
  CHECK(crew.reader()->requests("owner", 10)->size() == 1);
  REQUIRE(owner->put(with_status(crew.run("a"), "killed")));
  CHECK(crew.reader()->requests("", 10)->empty());
  CHECK(crew.reader()->request(request->id + 1)->answer == "killed");
}

TEST_CASE("a run whose kill was requested is not repeated") {
  Crew crew;
  const auto owner = crew.hire("owner");
  const auto other = crew.hire("other");
  REQUIRE(owner->put(queued("a")));
  REQUIRE(owner->claim()->size() == 1);
  const auto request = other->kill("a");
  REQUIRE(request);
  crew.dies("owner");
  REQUIRE(other->orphans()->size() == 1);
  const auto run = other->requeue("a");
  REQUIRE(run);
  CHECK(run->status == "killed");
  CHECK(run->finished_at != 0);
  CHECK(other->claimed().empty());
  CHECK(crew.reader()->request(request->id)->answer == "killed");
}

TEST_CASE("wrong kills are refused") {
  Crew crew;
  const auto worker = crew.hire("w");
  CHECK(worker->kill("nobody").status().code() == "run_not_found");
  CHECK(worker->kill("a", "SIGTERM; rm").status().code() == "test_not_taken");
  CHECK(worker->kill("").status().code() == "test_not_taken");
  CHECK(crew.reader()->request(7).status().code() == "request_not_found");
}

TEST_CASE("a process without a journal sends requests over a short connection") {
  Crew crew;
  CHECK(request_kill(crew.directory(), "a", "TERM", crew.clock).status().code() ==
        "state_dir_missing");
  const auto worker = crew.hire("w");
  REQUIRE(worker->put(queued("a", "one")));
  REQUIRE(worker->put(queued("b", "two")));
  REQUIRE(worker->claim(1)->size() == 1);
  const auto asked = request_kill(crew.directory(), "a", "TERM", crew.clock);
  REQUIRE(asked);
  CHECK_FALSE(asked->killed);
  CHECK(crew.reader()->requests("w", 10)->size() == 1);
  CHECK(request_kill(crew.directory(), "b", "TERM", crew.clock)->killed);
  CHECK(crew.run("b").status == "killed");
  CHECK(request_kill(crew.directory(), "b", "", crew.clock).status().code() == "run_ended");
  CHECK(request_kill(crew.directory(), "c", "", crew.clock).status().code() == "run_not_found");
  const auto wrong = request_kill(crew.directory(), "a", "term", crew.clock);
  CHECK(wrong.status().code() == "invalid_argument");
  CHECK_THAT(wrong.status().message(), Contains("'term'"));
  Plain plain(crew.file());
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  CHECK(request_kill(crew.directory(), "a", "HUP", crew.clock, Millis{1}).status().code() ==
        "journal_busy");
}

TEST_CASE("a reader notices cheaply that another process has written") {
  Crew crew;
  const auto worker = crew.hire("w");
  const auto reader = crew.reader();
  const auto before = reader->changes();
  REQUIRE(before);
  CHECK(*reader->changes() == *before);
  // Nothing to claim is no news.
  REQUIRE(worker->claimed().empty());
  CHECK(*reader->changes() == *before);
  REQUIRE(worker->put(queued("a")));
  CHECK(*reader->changes() != *before);
}

TEST_CASE("the workers that share the journal can be listed") {
  Crew crew;
  const auto worker = crew.hire("w", 77);
  REQUIRE(done_of([&](JournalDone done) {
    return worker->journal->heartbeat({99, 3, 4}, std::move(done));
  }));
  const auto workers = crew.reader()->workers();
  REQUIRE(workers->size() == 1);
  CHECK((*workers)[0].worker_id == "w");
  CHECK((*workers)[0].boot_id == "this boot");
  CHECK((*workers)[0].lease_until == 99);
  CHECK((*workers)[0].keeper_pid == 3);
  CHECK((*workers)[0].keeper_started == 4);
  CHECK((*workers)[0].started_at == crew.clock.wall().count());
  REQUIRE(worker->leave());
  CHECK(crew.reader()->workers()->empty());
}

TEST_CASE("the queue's rows are removed with their run") {
  Crew crew;
  const auto worker = crew.hire("w");
  RunRecord repeatable = queued("a");
  repeatable.safe_to_repeat = true;
  REQUIRE(worker->put(repeatable));
  REQUIRE(worker->claim()->size() == 1);
  REQUIRE(worker->requeue("a"));
  REQUIRE(worker->claim()->size() == 1);
  REQUIRE(worker->kill("a", "INT"));
  REQUIRE(worker->journal->add_usage("a", {1, 2, 3, 4}) == Taken::kYes);
  REQUIRE(worker->flush());
  const RunRecord run = crew.run("a");
  CHECK(run.owner == "w");
  CHECK(run.attempt == 2);
  CHECK(run.safe_to_repeat);
  CHECK(crew.reader()->workers()->size() == 1);
  CHECK(crew.reader()->usage("a", 0, 10)->size() == 1);
  CHECK(crew.reader()->requests("w", 10)->size() == 1);
  worker->options.max_age = Millis{1};
  REQUIRE(worker->join());
  REQUIRE(worker->put(with_status(run, "killed")));
  crew.clock.advance(Millis{10});
  REQUIRE(wait_for([&](JournalDone done) { worker->journal->tidy(std::move(done)); }));
  Plain plain(crew.file());
  CHECK(plain.rows("SELECT (SELECT count(*) FROM exec_runs), (SELECT count(*) FROM run_usage),"
                   " (SELECT count(*) FROM run_requests)") == std::vector<std::string>{"0|0|0"});
}

}  // namespace
}  // namespace gibbous::testing
