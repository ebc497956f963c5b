// Claims: who executes which run, in which order, and what becomes of the runs of the dead.
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/journal/crew.h"

namespace gibbous::testing {
namespace {

using Ids = std::vector<std::string>;

TEST_CASE("runs of a session are claimed one after another, in the order of their numbers") {
  Crew crew;
  const auto worker = crew.hire("w");
  for (const char* id : {"a", "b", "c"}) REQUIRE(worker->put(queued(id)));
  const auto first = worker->claim();
  REQUIRE(first);
  REQUIRE(first->size() == 1);
  CHECK((*first)[0].run_id == "a");
  CHECK((*first)[0].status == "starting");
  CHECK((*first)[0].owner == "w");
  CHECK((*first)[0].attempt == 1);
  CHECK((*first)[0].command == "make a");
  CHECK(worker->claimed().empty());
  REQUIRE(worker->put(with_status((*first)[0], "running")));
  CHECK(worker->claimed().empty());
  REQUIRE(worker->put(with_status((*first)[0], "completed")));
  CHECK(worker->claimed() == Ids{"b"});
  CHECK(worker->claimed().empty());
}

TEST_CASE("sessions are claimed independently, the oldest first, up to the requested number") {
  Crew crew;
  const auto worker = crew.hire("w");
  for (const char* id : {"a1", "a2", "b1", "c1"}) {
    REQUIRE(worker->put(queued(id, std::string(1, id[0]))));
  }
  CHECK(worker->claimed(2) == Ids{"a1", "b1"});
  CHECK(worker->claimed(2) == Ids{"c1"});
  CHECK(worker->claimed(2).empty());
}

TEST_CASE("a run is claimed by one worker, however many ask at once") {
  Crew crew;
  constexpr int kWorkers = 3;
  constexpr int kRuns = 60;
  std::vector<std::unique_ptr<Hand>> workers;
  for (int i = 0; i < kWorkers; ++i) workers.push_back(crew.hire("w" + std::to_string(i)));
  for (int i = 0; i < kRuns; ++i) {
    REQUIRE(workers[0]->put(queued(std::to_string(i), std::to_string(i))));
  }
  std::vector<Ids> got(kWorkers);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kWorkers; ++i) {
    threads.emplace_back([&, i] {
      for (;;) {
        const Ids ids = workers[i]->claimed(2);
        if (ids.empty()) return;
        got[i].insert(got[i].end(), ids.begin(), ids.end());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  std::size_t count = 0;
  for (const Ids& ids : got) {
    all.insert(ids.begin(), ids.end());
    count += ids.size();
  }
  CHECK(count == kRuns);
  CHECK(all.size() == kRuns);
}

TEST_CASE(
    "a run that is queued for a worker waits for it while it lives, and so does its session") {
  Crew crew;
  const auto one = crew.hire("one");
  const auto two = crew.hire("two");
  RunRecord run = queued("a");
  run.owner = "one";
  REQUIRE(two->put(run));
  REQUIRE(two->put(queued("b")));
  CHECK(two->claimed().empty());
  SECTION("it claims it") {
    CHECK(one->claimed() == Ids{"a"});
  }
  SECTION("it dies") {
    crew.dies("one");
    CHECK(two->claimed() == Ids{"a"});
    CHECK(crew.run("a").attempt == 1);
  }
  SECTION("it leaves") {
    REQUIRE(one->leave());
    CHECK(two->claimed() == Ids{"a"});
  }
}

TEST_CASE("orphans are taken once, and only from dead workers") {
  Crew crew;
  const auto one = crew.hire("one");
  const auto two = crew.hire("two");
  const auto three = crew.hire("three");
  REQUIRE(one->put(queued("a")));
  REQUIRE(one->claimed() == Ids{"a"});
  CHECK(two->orphans()->empty());
  crew.dies("one");
  const auto orphans = two->orphans();
  REQUIRE(orphans);
  REQUIRE(orphans->size() == 1);
  CHECK((*orphans)[0].run.run_id == "a");
  CHECK((*orphans)[0].run.status == "starting");
  CHECK((*orphans)[0].run.owner == "two");
  CHECK((*orphans)[0].was.worker_id == "one");
  CHECK((*orphans)[0].was.pid == 1);
  CHECK(two->orphans()->empty());
  CHECK(three->orphans()->empty());
  SECTION("the worker that had started it is still known when its heir dies, too") {
    crew.dies("two");
    const auto again = three->orphans();
    REQUIRE(again->size() == 1);
    CHECK((*again)[0].was.worker_id == "one");
    CHECK((*again)[0].was.boot_id == "this boot");
    CHECK(crew.reader()->workers()->size() == 2);
    REQUIRE(three->put(with_status((*again)[0].run, "lost")));
    CHECK(three->orphans()->empty());
    CHECK(crew.reader()->workers()->size() == 1);
  }
  SECTION("queued again with a reason, it has the reason until the next claim") {
    REQUIRE(two->requeue("a", "no room"));
    CHECK(crew.reader()->run("a")->error_message == "no room");
    CHECK(crew.reader()->queue_place("a")->run.error_message == "no room");
    const auto claimed = two->claim();
    REQUIRE(claimed->size() == 1);
    CHECK((*claimed)[0].error_message.empty());
    CHECK_FALSE(waits_in_host(*crew.reader()->run("a")));
    CHECK(two->requeue("a")->error_message.empty());
  }
  SECTION("queued again, it is the next attempt and comes before runs that were queued later") {
    REQUIRE(two->put(queued("b")));
    const auto run = two->requeue("a");
    REQUIRE(run);
    CHECK(run->status == "queued");
    CHECK(run->attempt == 2);
    CHECK(run->owner.empty());
    const auto claimed = three->claim();
    REQUIRE(claimed->size() == 1);
    CHECK((*claimed)[0].run_id == "a");
    CHECK((*claimed)[0].attempt == 2);
  }
}

TEST_CASE("runs in progress without an owner are orphans") {
  Crew crew;
  Desk desk;
  desk.options.directory = crew.directory();
  REQUIRE(desk.open());
  REQUIRE(desk.start("old") == Taken::kYes);
  REQUIRE(desk.flush());
  const auto worker = crew.hire("w");
  const auto orphans = worker->orphans();
  REQUIRE(orphans->size() == 1);
  CHECK((*orphans)[0].run.run_id == "old");
  CHECK((*orphans)[0].was.worker_id.empty());
}

TEST_CASE("a run that a worker records as running is its own, without a claim") {
  Crew crew;
  const auto one = crew.hire("one");
  const auto two = crew.hire("two");
  REQUIRE(one->put(with_status(queued("a"), "running")));
  CHECK(crew.run("a").owner == "one");
  CHECK(two->orphans()->empty());
}

TEST_CASE("a stopped worker of this boot keeps its runs when its lease has lapsed") {
  Crew crew;
  const std::int64_t now = crew.clock.wall().count();
  const auto stopped = crew.hire("stopped", now + 10);
  const auto other = crew.hire("other");
  REQUIRE(stopped->put(queued("a")));
  REQUIRE(stopped->claimed() == Ids{"a"});
  crew.clock.advance(std::chrono::hours(1));
  CHECK(other->orphans()->empty());
  CHECK(stopped->heartbeat(now + 10));
}

TEST_CASE("the lease decides whether a worker of another boot lives") {
  Crew crew;
  const std::int64_t start = crew.clock.wall().count();
  const auto far = crew.hire("far", start + 1'000, "another boot");
  const auto near = crew.hire("near");
  crew.dies("far");  // a pid of another boot says nothing
  REQUIRE(far->put(queued("a")));
  crew.clock.advance(Millis{500});
  REQUIRE(far->claimed() == Ids{"a"});  // this renews it
  crew.clock.advance(Millis{1'000});
  CHECK(near->orphans()->empty());
  REQUIRE(far->heartbeat(start + 3'000));
  crew.clock.advance(Millis{1'500});
  CHECK(near->orphans()->empty());
  SECTION("until it lapses") {
    crew.clock.advance(Millis{1});
    CHECK(near->orphans()->size() == 1);
  }
  SECTION("by its length, when the clock goes backwards") {
    crew.clock.advance(Millis{-3'000});
    CHECK(near->orphans()->empty());
    crew.clock.advance(-std::chrono::hours(24));
    CHECK(near->orphans()->size() == 1);
  }
}

TEST_CASE("a forgotten worker finds out, claims nothing, and can join again") {
  Crew crew;
  const std::int64_t start = crew.clock.wall().count();
  const auto far = crew.hire("far", start + 10, "another boot");
  const auto near = crew.hire("near");
  REQUIRE(near->put(queued("a")));
  crew.clock.advance(Millis{100});
  REQUIRE(near->orphans());
  CHECK(crew.reader()->workers()->size() == 1);
  SECTION("when it sends its heartbeat") {
    CHECK(far->heartbeat(start + 1'000).code() == "worker_unknown");
  }
  CHECK(far->claimed() == Ids{"worker_unknown"});
  CHECK(far->orphans().status().code() == "worker_unknown");
  REQUIRE(far->join(start + 1'000));
  CHECK(far->claimed() == Ids{"a"});
}

TEST_CASE("an operation that a worker cannot carry out returns the reason") {
  Crew crew;
  const auto worker = crew.hire("w");
  const auto other = crew.hire("other");
  SECTION("claiming before it has joined") {
    REQUIRE(other->leave());
    CHECK(other->claimed() == Ids{"worker_unknown"});
    CHECK(other->heartbeat(1).code() == "worker_unknown");
    CHECK(other->requeue("a").status().code() == "run_not_found");
  }
  SECTION("joining with the id of a living worker") {
    WorkerRecord twin;
    twin.worker_id = "w";
    twin.boot_id = "this boot";
    twin.pid = 2;
    const Status status =
        done_of([&](JournalDone done) { return other->journal->join(twin, std::move(done)); });
    CHECK(status.code() == "worker_exists");
    CHECK(other->claimed() == Ids{"worker_unknown"});
  }
  SECTION("joining without a name, claiming nothing") {
    WorkerRecord nameless;
    nameless.boot_id = "this boot";
    CHECK(worker->journal->join(nameless, nullptr) == Taken::kWrongUse);
    CHECK(worker->journal->claim(0, nullptr) == Taken::kWrongUse);
    CHECK(worker->journal->requeue("", nullptr) == Taken::kWrongUse);
  }
  SECTION("requeueing a run that is not its own, has ended, or is queued already") {
    REQUIRE(worker->put(queued("a")));
    CHECK(worker->requeue("a").status().code() == "run_not_owned");
    REQUIRE(worker->claimed() == Ids{"a"});
    CHECK(other->requeue("a").status().code() == "run_not_owned");
    REQUIRE(worker->put(with_status(crew.run("a"), "failed")));
    CHECK(worker->requeue("a").status().code() == "run_ended");
    CHECK(worker->requeue("nobody").status().code() == "run_not_found");
  }
}

TEST_CASE("an answer comes once, when the disk works again or the journal closes") {
  Crew crew;
  const auto worker = crew.hire("w");
  REQUIRE(worker->put(queued("a")));
  worker->journal.reset();
  worker->options.busy_timeout = Millis{0};
  worker->options.retry_interval = std::chrono::hours(1);
  Told told;
  worker->options.on_problem = [&told](const Status& status) {
    told.tell([&](Told& all) { all.problems.push_back(status); });
  };
  REQUIRE(worker->join());
  Plain plain(crew.file());
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  std::promise<Result<std::vector<RunRecord>>> promise;
  auto answer = promise.get_future();
  REQUIRE(worker->journal->claim(
              1, [&promise](auto runs) { promise.set_value(std::move(runs)); }) == Taken::kYes);
  REQUIRE(told.until([](const Told& all) { return !all.problems.empty(); }));
  CHECK(answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready);
  SECTION("well again") {
    REQUIRE(plain.run("ROLLBACK"));
    REQUIRE(worker->flush());
    REQUIRE(answer.wait_for(kPatience) == std::future_status::ready);
    const auto runs = answer.get();
    REQUIRE(runs);
    CHECK(runs->size() == 1);
  }
  SECTION("closed") {
    worker->journal.reset();
    REQUIRE(answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
    CHECK(answer.get().status().code() == "journal_closed");
    REQUIRE(plain.run("ROLLBACK"));
    CHECK(crew.run("a").status == "queued");
  }
}

TEST_CASE("a request to a full queue is rejected, and gets no answer") {
  Crew crew;
  const auto worker = crew.hire("w");
  worker->journal.reset();
  worker->options.max_queue_entries = 16;
  worker->options.busy_timeout = std::chrono::hours(1);
  REQUIRE(worker->join());
  Plain plain(crew.file());
  REQUIRE(plain.run("BEGIN IMMEDIATE"));
  int answers = 0;
  int taken = 0;
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const Taken one = worker->journal->claim(1, [&answers](const auto&) { ++answers; });
    taken += one == Taken::kYes ? 1 : 0;
  }
  CHECK(taken >= 16);
  CHECK(taken <= 40);
  REQUIRE(plain.run("ROLLBACK"));
  REQUIRE(worker->flush());
  CHECK(answers == taken);
}

TEST_CASE("a claim reads only the runs in progress of a long history") {
  Crew crew;
  const auto worker = crew.hire("w");
  Plain plain(crew.file());
  // Names of what is used, not a time.
  const auto heads = plain.rows(
      "EXPLAIN QUERY PLAN SELECT workspace, client, session_id, min(number) FROM exec_runs"
      " WHERE status = 'queued' AND ('w' IS NULL OR workspace IN ('w', ''))"
      " GROUP BY workspace, client, session_id");
  REQUIRE(heads.size() == 1);
  CHECK(heads[0].find("exec_runs_queued") != std::string::npos);
  const auto going = plain.rows(
      "EXPLAIN QUERY PLAN SELECT number FROM exec_runs WHERE status IN ('starting', 'running')"
      " AND workspace = 'w' AND client = 'c' AND session_id = 'x'");
  REQUIRE(going.size() == 1);
  CHECK(going[0].find("exec_runs_going") != std::string::npos);
}

TEST_CASE("a claim that is given back does not make a run wait longer, but a start does") {
  Crew crew;
  const auto one = crew.hire("one");
  const auto tidy = [&one] {
    return done_of([&one](JournalDone done) {
      one->journal->tidy(std::move(done));
      return Taken::kYes;
    });
  };
  for (const char* id : {"declined", "started"}) {
    RunRecord run = queued(id, id);
    run.queued_at = crew.clock.wall().count();
    REQUIRE(one->put(run));
  }
  auto claimed = one->claim();
  REQUIRE(claimed->size() == 2);
  RunRecord started = with_status((*claimed)[1], "running");
  started.started_at = crew.clock.wall().count();
  REQUIRE(one->put(started));
  // A run may wait for a week.
  constexpr std::chrono::hours kDay{24};
  crew.clock.advance(6 * kDay);
  REQUIRE(one->requeue("declined", "no person can answer"));
  REQUIRE(one->requeue("started"));
  crew.clock.advance(2 * kDay);
  REQUIRE(tidy());
  CHECK(crew.run("declined").status == "killed");
  CHECK(crew.run("declined").error_message ==
        "it waited longer than journal.queue_ttl_hours (no person can answer)");
  CHECK(crew.run("started").status == "queued");
  crew.clock.advance(6 * kDay);
  REQUIRE(tidy());
  CHECK(crew.run("started").status == "killed");
}

}  // namespace
}  // namespace gibbous::testing
