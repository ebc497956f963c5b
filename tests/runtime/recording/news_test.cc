#include "runtime/queue/news.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/journal/journal.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"
#include "tests/runtime/journal/desk.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

// A process that waits to be killed.
class Sleeper {
 public:
  Sleeper() : pid_(patient_fork()) {
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      for (;;) ::pause();
    }
  }
  ~Sleeper() { kill(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// The journals of several workers on one file, and what one of them would see.
class Ring {
 public:
  void join(const std::string& id, pid_t pid, bool takes_over = true,
            const std::string& space = pid_space(), std::int64_t lease_until = 0) {
    WorkerRecord worker;
    worker.worker_id = id;
    worker.pid = pid;
    worker.pid_started =
        static_cast<std::int64_t>(read_stat(pid).value_or(ProcessStat()).start_time);
    worker.boot_id = space;
    worker.takes_over = takes_over;
    worker.heartbeat_at = kNow - 1000;
    worker.lease_until = lease_until;
    Desk& desk = *desks_.emplace_back(std::make_unique<Desk>());
    desk.options.directory = desks_.front()->directory();
    REQUIRE(desk.open());
    REQUIRE(wait_for([&](JournalDone done) { (void)desk.journal->join(worker, std::move(done)); }));
  }
  Journal& journal() { return *desks_.front()->journal; }
  std::unique_ptr<JournalReader> reader() {
    auto reader = JournalReader::open(desks_.front()->directory());
    REQUIRE(reader);
    return std::move(*reader);
  }
  static NewsQuestion question(const std::string& id) {
    NewsQuestion question;
    question.worker_id = id;
    question.boot_id = pid_space();
    question.now = kNow;
    return question;
  }
  QueueNews seen_by(const std::string& id) {
    auto news = read_news(*reader(), question(id));
    INFO(news.status().message());
    REQUIRE(news);
    return std::move(*news);
  }
  static std::vector<std::string> ids(const std::vector<WorkerRecord>& workers) {
    std::vector<std::string> ids;
    for (const WorkerRecord& worker : workers) ids.push_back(worker.worker_id);
    return ids;
  }
  static constexpr std::int64_t kNow = 1'000'000;

 private:
  std::vector<std::unique_ptr<Desk>> desks_;
};

using Ids = std::vector<std::string>;

TEST_CASE("each worker watches the next one that takes over, and all in between") {
  Sleeper one;
  Sleeper two;
  Sleeper three;
  Sleeper command;
  Ring ring;
  ring.join("a", one.pid());
  ring.join("b", command.pid(), false);
  ring.join("c", two.pid());
  ring.join("d", three.pid());
  CHECK(Ring::ids(ring.seen_by("a").to_watch) == Ids{"b", "c"});
  CHECK(Ring::ids(ring.seen_by("c").to_watch) == Ids{"d"});
  CHECK(Ring::ids(ring.seen_by("d").to_watch) == Ids{"a"});
  CHECK_FALSE(ring.seen_by("a").alone);
  CHECK(ring.seen_by("a").dead.empty());
}

TEST_CASE("the deaths of neighbours are those of the next living worker before them") {
  Sleeper one;
  Sleeper two;
  Sleeper three;
  Ring ring;
  ring.join("a", one.pid());
  ring.join("b", two.pid());
  ring.join("c", three.pid());
  two.kill();
  CHECK(ring.seen_by("a").dead == Ids{"b"});
  CHECK(Ring::ids(ring.seen_by("a").to_watch) == Ids{"c"});
  CHECK(ring.seen_by("c").dead.empty());
  three.kill();
  const QueueNews news = ring.seen_by("a");
  CHECK(news.dead == Ids{"b", "c"});
  CHECK(news.to_watch.empty());
  CHECK(news.alone);
}

TEST_CASE("a worker alone sees no other, also before it has joined itself") {
  Ring ring;
  ring.join("a", ::getpid());
  CHECK(ring.seen_by("a").alone);
  CHECK(ring.seen_by("a").to_watch.empty());
  CHECK_FALSE(ring.seen_by("z").alone);
}

TEST_CASE("a worker of this machine before its last boot is dead at once") {
  std::string machine;
  const std::string here = pid_space();
  if (std::count(here.begin(), here.end(), ' ') < 2) {
    WARN("NOT TESTED: this machine has no /etc/machine-id");
    return;
  }
  const std::string earlier = "00000000-dead-beef-0000-000000000000" + here.substr(here.find(' '));
  Ring ring;
  ring.join("m", ::getpid());
  // Its lease would hold, and its pid is that of a living process.
  ring.join("before", ::getpid(), true, earlier, Ring::kNow + 60'000);
  const QueueNews news = ring.seen_by("m");
  CHECK(news.dead == Ids{"before"});
  CHECK(news.lease_end == 0);
}

TEST_CASE("the lease of a worker elsewhere decides, and its end is looked at again") {
  Ring ring;
  ring.join("m", ::getpid());
  ring.join("far", 1, true, "another boot pid:[1] another-machine", Ring::kNow + 5'000);
  ring.join("further", 1, true, "a third boot pid:[1] another-machine", Ring::kNow + 9'000);
  ring.join("gone", 1, true, "another boot pid:[2] another-machine", Ring::kNow - 1);
  const QueueNews news = ring.seen_by("m");
  CHECK(news.dead == Ids{"gone"});
  CHECK(news.lease_end == Ring::kNow + 5'001);
}

TEST_CASE("a request is news until it is answered, without a change of the journal, too") {
  Ring ring;
  ring.join("m", ::getpid());
  Journal& journal = ring.journal();
  RunRecord run;
  run.run_id = "a";
  run.status = "running";
  run.command = "sleep 600";
  REQUIRE(wait_for([&](JournalDone done) { (void)journal.put_run(run, std::move(done)); }));
  (void)journal.request_kill("a", "", nullptr);
  REQUIRE(wait_for([&](JournalDone done) { journal.flush(std::move(done)); }));
  const auto reader = ring.reader();
  NewsQuestion question = Ring::question("m");
  const auto first = read_news(*reader, question);
  REQUIRE(first);
  REQUIRE(first->requests.size() == 1);
  question.seen_changes = first->changes;
  const auto again = read_news(*reader, question);
  REQUIRE(again);
  CHECK_FALSE(again->changed);
  CHECK(again->requests.size() == 1);
}

TEST_CASE("one worker of the ring looks after those elsewhere") {
  Sleeper other;
  Ring ring;
  ring.join("m", ::getpid());
  ring.join("n", other.pid());
  ring.join("gone", 1, true, "another boot pid:[1] another-machine", Ring::kNow - 1);
  CHECK(ring.seen_by("n").dead == Ids{"gone"});
  CHECK(ring.seen_by("m").dead.empty());
}

}  // namespace
}  // namespace gibbous::testing
