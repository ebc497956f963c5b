// WrittenJournal: a state directory with a journal that a test writes as a runtime would: runs with
// their output and events, at times that the test chooses. Everything is on disk when flush()
// returns. One thread; for tests that link gibbous_journal.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bindings/json/json.h"
#include "runtime/journal/journal.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

class WrittenJournal {
 public:
  static constexpr std::int64_t kStart = 1'700'000'000'000;  // 2023-11-14 22:13:20 UTC

  WrittenJournal() {
    JournalOptions options;
    options.directory = directory();
    options.commit_delay = Millis{0};
    auto made = Journal::create(options, clock_);
    if (!made) std::abort();
    journal_ = std::move(*made);
  }

  std::string directory() const { return dir_.path() + "/state"; }
  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }
  Journal& journal() { return *journal_; }
  std::int64_t now() const { return now_; }
  void advance(std::chrono::milliseconds time) { now_ += time.count(); }
  void set_now(std::int64_t now) { now_ = now; }

  // Where the runs that start from now on belong; without `client`, their session owns them.
  void in(const std::string& workspace, const std::string& client = "") {
    workspace_ = workspace;
    client_ = client;
  }

  RunRecord& start(const std::string& id, const std::string& session, const std::string& command,
                   const Json& meta = Json::object()) {
    RunRecord& run = runs_[id];
    run.run_id = id;
    run.session_id = session;
    run.client = client_.empty() ? session : client_;
    run.workspace = workspace_;
    run.command = command;
    run.status = "running";
    run.queued_at = run.started_at = now_;
    run.meta_json = meta.dump();
    put(id);
    return run;
  }
  void put(const std::string& id) { must(journal_->put_run(runs_.at(id))); }
  void end(const std::string& id, const std::string& status, std::int64_t exit_code = 0,
           const std::string& reason = "") {
    RunRecord& run = runs_.at(id);
    run.status = status;
    run.has_exit_code = true;
    run.exit_code = exit_code;
    run.error_message = reason;
    run.finished_at = now_;
    put(id);
  }
  std::uint64_t add(const std::string& id, ItemType type, const std::string& payload,
                    const std::string& meta = "") {
    const std::uint64_t seq = ++seqs_[id];
    must(journal_->append(id, {seq, type, payload, meta, now_}));
    return seq;
  }
  void out(const std::string& id, const std::string& text) { add(id, ItemType::kStdout, text); }
  void err(const std::string& id, const std::string& text) { add(id, ItemType::kStderr, text); }
  void event(const std::string& id, const std::string& name, Json members = Json::object()) {
    members["event"] = name;
    members["run"] = id;
    members["session"] = runs_.at(id).session_id;
    add(id, ItemType::kEvent, name, members.dump());
  }
  void decide(const std::string& session, const std::string& run, const Json& record) {
    DecisionRecord decision;
    decision.created_at = now_;
    decision.session_id = session;
    decision.run_id = run;
    decision.generation = 1;
    decision.decision = record.at("decision");
    decision.rule = record.at("rule");
    decision.record_json = record.dump();
    must(journal_->add_decision(decision));
  }
  // Loses the next `count` items of the run, which the journal notes.
  void lose(const std::string& id, std::uint64_t count) { seqs_[id] += count; }

  void flush() {
    auto promise = std::make_shared<std::promise<Status>>();
    std::future<Status> answer = promise->get_future();
    journal_->flush([promise](const Status& status) { promise->set_value(status); });
    if (answer.wait_for(kPatience) != std::future_status::ready || !answer.get()) std::abort();
  }

 private:
  static void must(Taken taken) {
    if (taken != Taken::kYes) std::abort();
  }

  TempDir dir_;
  SystemClock clock_;
  std::string workspace_;
  std::string client_;
  std::int64_t now_ = kStart;
  std::map<std::string, RunRecord> runs_;
  std::map<std::string, std::uint64_t> seqs_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace gibbous::testing
