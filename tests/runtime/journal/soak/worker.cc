#include "tests/runtime/journal/soak/worker.h"

#include <time.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/process/proc.h"
#include "tests/runtime/journal/soak/ledger.h"

namespace gibbous::soak {
namespace {

constexpr std::uint32_t kSessions = 6;
constexpr std::uint32_t kMostItems = 12;
constexpr std::size_t kMostClaimed = 2;
constexpr std::size_t kMostQueued = 40;
constexpr std::int64_t kLeaseMillis = 60;
constexpr timespec kLeaseAndMore{0, 2 * kLeaseMillis * 1'000'000};
constexpr timespec kIdle{0, 500'000};

std::int64_t started_of(std::int64_t pid) {
  const auto stat = read_stat(static_cast<pid_t>(pid));
  return stat ? static_cast<std::int64_t>(stat->start_time) : 0;
}

class Worker {
 public:
  explicit Worker(const WorkerPlan& plan)
      : plan_(plan), ledger_(plan.directory + kLedgerName), random_(plan.seed) {}
  int run();

 private:
  template <typename T>
  using Ask = std::function<Taken(JournalAnswer<T>)>;
  // Ends the process when an answer is an error that cannot be.
  template <typename T>
  Result<T> ask(const Ask<T>& call);
  Status ask_plain(const std::function<Taken(JournalDone)>& call);
  Status put(const RunRecord& run);
  void open();
  void join();
  void beat();
  void enqueue();
  void settle_orphans();
  bool claim();
  void execute(RunRecord run);
  bool is_to_be_killed(const std::string& run_id);
  void end(RunRecord run, const std::string& status);
  void kill_somebody();
  void acknowledge(const RunRecord& run, std::uint64_t* acknowledged);
  bool chance(std::uint32_t one_in) { return random_() % one_in == 0; }
  [[noreturn]] void fail(const Status& status);
  std::int64_t lease() const { return clock_.wall().count() + kLeaseMillis; }

  const WorkerPlan& plan_;
  const Ledger ledger_;
  const SystemClock clock_;
  std::mt19937 random_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<JournalReader> reader_;
  std::uint32_t queued_ = 0;
};

void Worker::fail(const Status& status) {
  ledger_.write("problem " + plan_.name + " " + status.code() + " " + status.message());
  std::_Exit(3);
}

template <typename T>
Result<T> Worker::ask(const Ask<T>& call) {
  std::promise<Result<T>> promise;
  auto answer = promise.get_future();
  const Taken taken = call([&promise](Result<T> result) { promise.set_value(std::move(result)); });
  if (taken != Taken::kYes) fail(Status::error("not_taken", "an operation was not taken"));
  Result<T> result = answer.get();
  // A worker that slept until it was forgotten has to join again.
  if (!result && result.status().code() == "worker_unknown" && plan_.by_lease) join();
  return result;
}

Status Worker::ask_plain(const std::function<Taken(JournalDone)>& call) {
  std::promise<Status> answer;
  const Taken taken = call([&answer](const Status& status) { answer.set_value(status); });
  if (taken != Taken::kYes) fail(Status::error("not_taken", "an operation was not taken"));
  return answer.get_future().get();
}

Status Worker::put(const RunRecord& run) {
  return ask_plain([&](JournalDone done) { return journal_->put_run(run, std::move(done)); });
}

void Worker::open() {
  JournalOptions options;
  options.directory = plan_.directory + kStateName;
  options.commit_delay = Millis{0};
  options.max_total_bytes = 0;
  options.max_age = Millis{0};
  options.busy_timeout = Millis{20'000};
  options.on_problem = [this](const Status& status) { fail(status); };
  options.on_refused = [this](const std::string& run_id, const Status& why) {
    ledger_.write("refused " + run_id + " " + why.code());
  };
  // A zombie is alive: the supervisor writes that it is dead before it buries it.
  options.worker_alive = [](const WorkerRecord& worker) -> std::optional<bool> {
    return started_of(worker.pid) == worker.pid_started;
  };
  auto journal = Journal::create(std::move(options), clock_);
  if (!journal) fail(journal.status());
  journal_ = std::move(*journal);
  auto reader = JournalReader::open(plan_.directory + kStateName);
  if (!reader) fail(reader.status());
  reader_ = std::move(*reader);
}

void Worker::join() {
  WorkerRecord self;
  self.worker_id = plan_.name;
  self.pid = ::getpid();
  self.pid_started = started_of(self.pid);
  self.boot_id = plan_.by_lease ? plan_.name : "this boot";
  self.lease_until = lease();
  const Status status =
      ask_plain([&](JournalDone done) { return journal_->join(self, std::move(done)); });
  if (!status) fail(status);
}

void Worker::enqueue() {
  RunRecord run;
  run.run_id = plan_.name + "-" + std::to_string(++queued_);
  run.session_id = "s" + std::to_string(random_() % kSessions);
  run.status = "queued";
  run.safe_to_repeat = chance(2);
  run.queued_at = clock_.wall().count();
  if (const Status status = put(run); !status) fail(status);
  ledger_.write("queued " + run.run_id);
}

// Settles orphans by the rule: requeued if that is safe, else lost.
void Worker::settle_orphans() {
  auto orphans =
      ask<std::vector<Orphan>>([&](auto done) { return journal_->take_orphans(std::move(done)); });
  if (!orphans) return;
  for (Orphan& orphan : *orphans) {
    if (!orphan.run.safe_to_repeat) {
      end(std::move(orphan.run), "lost");
      continue;
    }
    const auto run = ask<RunRecord>(
        [&](auto done) { return journal_->requeue(orphan.run.run_id, std::move(done)); });
    if (!run && !plan_.by_lease) fail(run.status());
    if (run && run->status == "killed") ledger_.write("settled " + run->run_id + " killed");
  }
}

bool Worker::claim() {
  auto runs = ask<std::vector<RunRecord>>(
      [&](auto done) { return journal_->claim(1 + random_() % kMostClaimed, std::move(done)); });
  if (!runs) return false;
  for (RunRecord& run : *runs) execute(std::move(run));
  return !runs->empty();
}

void Worker::acknowledge(const RunRecord& run, std::uint64_t* acknowledged) {
  const std::uint64_t durable = journal_->durable_seq(run.run_id);
  if (durable <= *acknowledged) return;
  ledger_.write("ack " + run.run_id + " " + std::to_string(run.attempt) + " " +
                std::to_string(*acknowledged + 1) + " " + std::to_string(durable));
  *acknowledged = durable;
}

void Worker::execute(RunRecord run) {
  const std::string attempt = std::to_string(run.attempt);
  ledger_.write("start " + run.run_id + " " + attempt + " " + run.session_id + " " + plan_.name);
  run.status = "running";
  run.started_at = clock_.wall().count();
  if (journal_->put_run(run) != Taken::kYes) fail(Status::error("not_taken", "a run"));
  std::uint64_t acknowledged = run.last_seq;
  std::uint64_t seq = run.last_seq;
  std::string status = chance(8) ? "failed" : "completed";
  for (std::uint64_t left = random_() % kMostItems; left > 0; --left) {
    ++seq;
    const std::string payload = payload_of(run.run_id, run.attempt, seq);
    const Taken taken = journal_->append(run.run_id, {seq, ItemType::kStdout, payload});
    if (taken != Taken::kYes) fail(Status::error("not_taken", "an item was not taken"));
    if (chance(3)) {
      // What it cost is on disk before it goes on, so that it lives through some commits.
      (void)ask_plain([&](JournalDone done) {
        journal_->flush(std::move(done));
        return Taken::kYes;
      });
    }
    acknowledge(run, &acknowledged);
    if (chance(16) && is_to_be_killed(run.run_id)) {
      status = "killed";
      break;
    }
  }
  (void)journal_->add_usage(run.run_id, {0, 1'000, 1, 1});
  ledger_.write("end " + run.run_id + " " + attempt + " " + plan_.name);
  end(run, status);
  acknowledge(run, &acknowledged);
  journal_->forget_run(run.run_id);
}

bool Worker::is_to_be_killed(const std::string& run_id) {
  const auto requests = reader_->requests(plan_.name, 100);
  if (!requests) fail(requests.status());
  for (const RunRequest& request : *requests) {
    if (request.run_id == run_id) return true;
  }
  return false;
}

void Worker::end(RunRecord run, const std::string& status) {
  run.status = status;
  run.finished_at = clock_.wall().count();
  const Status done = put(run);
  if (done) ledger_.write("settled " + run.run_id + " " + status);
  if (!done && !plan_.by_lease) fail(done);
}

void Worker::kill_somebody() {
  const auto runs = reader_->runs("", 20);
  if (!runs) fail(runs.status());
  if (runs->empty()) return;
  const RunRecord& run = (*runs)[random_() % runs->size()];
  const auto request = ask<KillRequest>(
      [&](auto done) { return journal_->request_kill(run.run_id, "TERM", std::move(done)); });
  if (request && request->killed) ledger_.write("settled " + run.run_id + " killed");
}

void Worker::beat() {
  const Status status = ask_plain([&](JournalDone done) {
    return journal_->heartbeat({lease(), 0, 0}, std::move(done));
  });
  if (!status) join();
}

int Worker::run() {
  const bool drains = plan_.life == Life::kDrain;
  // No other worker is left: the last lease runs out.
  if (drains && plan_.by_lease) ::nanosleep(&kLeaseAndMore, nullptr);
  open();
  join();
  settle_orphans();
  for (;;) {
    if (plan_.by_lease) beat();
    if (!drains && (queued_ == 0 || chance(2)) && queued_ < kMostQueued) enqueue();
    if (!drains && chance(10)) kill_somebody();
    const bool worked = claim();
    if (chance(4) || !worked) settle_orphans();
    if (!worked && drains) break;
    if (!worked) ::nanosleep(&kIdle, nullptr);
  }
  const Status left = ask_plain([&](JournalDone done) { return journal_->leave(std::move(done)); });
  if (!left) fail(left);
  journal_.reset();
  return 0;
}

}  // namespace

int work(const WorkerPlan& plan) {
  return Worker(plan).run();
}

}  // namespace gibbous::soak
