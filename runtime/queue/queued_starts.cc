#include "runtime/queue/queued_starts.h"

#include <utility>

#include "runtime/journal/journal.h"
#include "runtime/recording/recording.h"

namespace gibbous {
namespace {

constexpr Millis kBetweenTries{250};

}  // namespace

void QueuedStarts::stop() {
  lifetime_.reset();
  for (const auto& [id, start] : starts_) recording_.alarms().clear(start.alarm);
  starts_.clear();
}

void QueuedStarts::add(RunRecord run, Done done) {
  if (!lifetime_) {
    done(Status::error("shutdown", "the runtime is shutting down"));
    return;
  }
  const std::string id = run.run_id;
  const int alarm = recording_.when_late([this, id] { on_late(id); });
  starts_[id] = {std::move(run), std::move(done), alarm, std::make_shared<RunTicket>()};
  when_open(id);
}

void QueuedStarts::when_open(const std::string& run_id) {
  recording_.when_open(
      [this, run_id, alive = std::weak_ptr<const int>(lifetime_)](const Status& open) {
        if (alive.lock()) on_open(run_id, open);
      });
}

void QueuedStarts::on_open(const std::string& run_id, const Status& open) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  Journal* journal = recording_.journal();
  if (!open || journal == nullptr) {
    on_problem(run_id, open ? Status::error("shutdown", "the runtime is shutting down") : open);
    return;
  }
  const Taken taken = journal->put_run(found->second.run, posted(run_id, &QueuedStarts::finish),
                                       found->second.ticket);
  if (taken == Taken::kWrongUse) {
    finish(run_id, Status::error("invalid_arguments",
                                 "the run cannot be recorded: its command is too long"));
  } else if (taken != Taken::kYes) {
    const Status problem = journal->stats().problem;
    give_up(run_id, problem ? Status::error("journal_full",
                                            "the journal accepts nothing at the "
                                            "moment; try again")
                            : problem);
  } else {
    found->second.given = true;
    (void)journal->append(run_id, {1, ItemType::kState, found->second.run.status, "", 0});
    journal->forget_run(run_id);
    // An outage is noticed by the next attempt to write, which this hurries.
    journal->flush(posted(run_id, &QueuedStarts::on_flushed));
  }
}

QueuedStarts::Done QueuedStarts::posted(std::string run_id,
                                        void (QueuedStarts::*then)(const std::string&,
                                                                   const Status&)) {
  // The writer may answer when this is gone.
  return [this, then, id = std::move(run_id), post = recording_.mailbox().poster(),
          alive = std::weak_ptr<const int>(lifetime_)](const Status& status) {
    post([this, then, id, alive, status] {
      if (alive.lock()) (this->*then)(id, status);
    });
  };
}

void QueuedStarts::on_flushed(const std::string& run_id, const Status& status) {
  if (!status) on_problem(run_id, status);
}

// Another process may free the journal before on_late() gives the start up.
void QueuedStarts::on_problem(const std::string& run_id, const Status& why) {
  if (why.code() != "journal_busy") return give_up(run_id, why);
  recording_.alarms().set(kBetweenTries,
                          [this, run_id, alive = std::weak_ptr<const int>(lifetime_)] {
                            if (alive.lock()) try_again(run_id);
                          });
}

void QueuedStarts::try_again(const std::string& run_id) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  Journal* journal = recording_.journal();
  if (!found->second.given || journal == nullptr) return when_open(run_id);
  journal->flush(posted(run_id, &QueuedStarts::on_flushed));
}

void QueuedStarts::finish(const std::string& run_id, const Status& status) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  const Done done = std::move(found->second.done);
  recording_.alarms().clear(found->second.alarm);
  starts_.erase(found);
  done(status);
}

// A run that is being committed is not given up: the answer to put_run() comes soon.
void QueuedStarts::give_up(const std::string& run_id, const Status& why) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end() || !found->second.ticket->withdraw()) return;
  const Status reason = why.code() == "journal_busy" ? recording_.busy() : why;
  finish(run_id, Status::error(reason.code(),
                               "The command was not queued and will not run: " + reason.message()));
}

void QueuedStarts::cancel(const std::string& run_id) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  (void)found->second.ticket->withdraw();
  recording_.alarms().clear(found->second.alarm);
  starts_.erase(found);
}

void QueuedStarts::on_late(const std::string& run_id) {
  const Journal* journal = recording_.journal();
  const Status problem = journal != nullptr ? journal->stats().problem : Status();
  give_up(run_id, problem ? recording_.busy() : problem);
}

}  // namespace gibbous
