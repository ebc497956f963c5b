// Several workers on one journal, in one process: who of them lives is said by the test.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {

// What an operation of the queue is answered with.
template <typename T>
Result<T> answer_of(const std::function<Taken(JournalAnswer<T>)>& call) {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  std::future<Result<T>> answer = promise->get_future();
  const Taken taken = call([promise](Result<T> result) { promise->set_value(std::move(result)); });
  if (taken != Taken::kYes) return Status::error("test_not_taken", "it was not taken");
  if (answer.wait_for(kPatience) != std::future_status::ready) {
    return Status::error("test_patience", "no answer came");
  }
  return answer.get();
}

inline Status done_of(const std::function<Taken(JournalDone)>& call) {
  return wait_for([&call](const JournalDone& done) {
    if (call(done) != Taken::kYes) done(Status::error("test_not_taken", "it was not taken"));
  });
}

inline RunRecord queued(const std::string& id, const std::string& session = "s") {
  RunRecord run;
  run.run_id = id;
  run.session_id = session;
  run.status = "queued";
  run.command = "make " + id;
  run.queued_at = 1;
  return run;
}

inline RunRecord with_status(RunRecord run, const std::string& status) {
  run.status = status;
  if (is_terminal_status(status)) run.finished_at = 2;
  return run;
}

class Crew;

class Hand {
 public:
  Hand(Crew& crew, std::string id, std::string boot);

  Status join(std::int64_t lease_until = 0);
  Status leave() {
    return done_of([this](JournalDone done) { return journal->leave(std::move(done)); });
  }
  Status heartbeat(std::int64_t lease_until) {
    return done_of([&](JournalDone done) {
      return journal->heartbeat({lease_until, 0, 0}, std::move(done));
    });
  }
  Status put(const RunRecord& run) {
    return done_of([&](JournalDone done) { return journal->put_run(run, std::move(done)); });
  }
  Result<std::vector<RunRecord>> claim(std::size_t most = 100, const ClaimScope& scope = {}) {
    return answer_of<std::vector<RunRecord>>(
        [&](auto done) { return journal->claim(most, std::move(done), scope); });
  }
  // The ids, or the error's code.
  std::vector<std::string> claimed(std::size_t most = 100, const ClaimScope& scope = {});
  Result<std::vector<Orphan>> orphans() {
    return answer_of<std::vector<Orphan>>(
        [&](auto done) { return journal->take_orphans(std::move(done)); });
  }
  Result<RunRecord> requeue(const std::string& id, const std::string& why = "") {
    return answer_of<RunRecord>(
        [&](auto done) { return journal->requeue(id, std::move(done), why); });
  }
  Result<KillRequest> kill(const std::string& id, const std::string& signal = "") {
    return answer_of<KillRequest>(
        [&](auto done) { return journal->request_kill(id, signal, std::move(done)); });
  }
  Status flush() {
    return wait_for([this](JournalDone done) { journal->flush(std::move(done)); });
  }
  // "run: code" of each write that the fence has kept out.
  std::vector<std::string> refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  JournalOptions options;
  std::unique_ptr<Journal> journal;

 private:
  Crew& crew_;
  WorkerRecord record_;
  std::mutex mutex_;
  std::vector<std::string> refused_;
};

class Crew {
 public:
  std::string directory() const { return dir_.path() + "/state"; }
  std::string file() const { return directory() + "/sessions.db"; }
  // A worker that has joined.
  std::unique_ptr<Hand> hire(const std::string& id, std::int64_t lease_until = 0,
                             const std::string& boot = "this boot") {
    auto hand = std::make_unique<Hand>(*this, id, boot);
    if (const Status status = hand->join(lease_until); !status) FAIL(status.message());
    return hand;
  }
  void dies(const std::string& id) {
    const std::lock_guard lock(mutex_);
    dead_.insert(id);
  }
  bool lives(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return dead_.count(id) == 0;
  }
  RunRecord run(const std::string& id) const {
    auto run = reader()->run(id);
    if (!run) FAIL(run.status().message());
    return *run;
  }
  std::unique_ptr<JournalReader> reader() const {
    auto opened = JournalReader::open(directory());
    if (!opened) FAIL(opened.status().message());
    return std::move(*opened);
  }

  ManualClock clock;

 private:
  TempDir dir_;
  std::mutex mutex_;
  std::set<std::string> dead_;
};

inline Hand::Hand(Crew& crew, std::string id, std::string boot) : crew_(crew) {
  record_.worker_id = std::move(id);
  record_.boot_id = std::move(boot);
  record_.pid = 1;
  for (const char c : record_.worker_id) record_.pid_started = record_.pid_started * 31 + c;
  options.directory = crew.directory();
  options.commit_delay = Millis{0};
  options.worker_alive =
      [&crew, here = record_.boot_id](const WorkerRecord& worker) -> std::optional<bool> {
    if (worker.boot_id != here) return std::nullopt;
    return crew.lives(worker.worker_id);
  };
  options.on_refused = [this](const std::string& run_id, const Status& why) {
    const std::lock_guard lock(mutex_);
    refused_.push_back(run_id + ": " + why.code());
  };
}

inline Status Hand::join(std::int64_t lease_until) {
  if (!journal) {
    auto made = Journal::create(options, crew_.clock);
    if (!made) return made.status();
    journal = std::move(*made);
  }
  record_.lease_until = lease_until;
  return done_of([this](JournalDone done) { return journal->join(record_, std::move(done)); });
}

inline std::vector<std::string> Hand::claimed(std::size_t most, const ClaimScope& scope) {
  const auto runs = claim(most, scope);
  if (!runs) return {runs.status().code()};
  std::vector<std::string> ids;
  for (const RunRecord& run : *runs) ids.push_back(run.run_id);
  return ids;
}

}  // namespace gibbous::testing
