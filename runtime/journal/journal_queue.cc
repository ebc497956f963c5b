// The callers' side of the queue: checks, then an operation for the writer thread.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "runtime/journal/journal.h"
#include "runtime/journal/journal_impl.h"
#include "runtime/journal/operation.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxClaim = 1'000;

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxJournalIdBytes;
}

}  // namespace

Taken Journal::Impl::ask(PlainWork work, JournalDone on_done, std::size_t bytes) {
  using Nothing = std::monostate;
  JournalAnswer<Nothing> answer;
  if (on_done) {
    answer = [on_done = std::move(on_done)](const Result<Nothing>& result) {
      on_done(result.status());
    };
  }
  return ask<Nothing>(
      [work = std::move(work)](Queue& queue, std::int64_t now, Nothing*, Status* refused) {
        return work(queue, now, refused);
      },
      std::move(answer), bytes);
}

Taken Journal::join(const WorkerRecord& worker, JournalDone on_done) {
  if (!is_id(worker.worker_id) || !is_id(worker.boot_id)) return Taken::kWrongUse;
  auto work = [worker](Queue& queue, std::int64_t now, Status* refused) {
    return queue.workers().join(worker, now, refused);
  };
  return impl_->ask(std::move(work), std::move(on_done),
                    worker.worker_id.size() + worker.boot_id.size());
}

Taken Journal::heartbeat(const Heartbeat& beat, JournalDone on_done) {
  auto work = [beat](Queue& queue, std::int64_t now, Status* refused) {
    return queue.workers().heartbeat(beat, now, refused);
  };
  return impl_->ask(std::move(work), std::move(on_done), 0);
}

Taken Journal::leave(JournalDone on_done) {
  auto work = [](Queue& queue, std::int64_t, Status*) { return queue.workers().leave(); };
  return impl_->ask(std::move(work), std::move(on_done), 0);
}

Taken Journal::claim(std::size_t most, JournalAnswer<std::vector<RunRecord>> on_done,
                     ClaimScope scope) {
  if (most == 0) return Taken::kWrongUse;
  using Runs = std::vector<RunRecord>;
  auto work = [most = std::min(most, kMaxClaim), scope = std::move(scope), plan = RunNumbers()](
                  Queue& queue, std::int64_t now, Runs* claimed, Status* refused) mutable {
    return queue.claim(most, scope, now, &plan, claimed, refused);
  };
  return impl_->ask<Runs>(std::move(work), std::move(on_done), 0);
}

Taken Journal::take_orphans(JournalAnswer<std::vector<Orphan>> on_done, std::set<std::string> of) {
  using Orphans = std::vector<Orphan>;
  auto work = [of = std::move(of), plan = RunNumbers()](Queue& queue, std::int64_t now,
                                                        Orphans* orphans, Status* refused) mutable {
    return queue.take_orphans(of, now, &plan, orphans, refused);
  };
  return impl_->ask<Orphans>(std::move(work), std::move(on_done), 0);
}

Taken Journal::release(std::string_view run_id, JournalDone on_done) {
  if (!is_id(run_id)) return Taken::kWrongUse;
  auto work = [id = std::string(run_id)](Queue& queue, std::int64_t now, Status* refused) {
    return queue.release(id, now, refused);
  };
  return impl_->ask(std::move(work), std::move(on_done), run_id.size());
}

Taken Journal::requeue(std::string_view run_id, JournalAnswer<RunRecord> on_done,
                       std::string_view why) {
  if (!is_id(run_id) || why.size() > kMaxJournalTextBytes) return Taken::kWrongUse;
  auto work = [id = std::string(run_id), why = std::string(why), attempt = std::int64_t{0}](
                  Queue& queue, std::int64_t now, RunRecord* run, Status* refused) mutable {
    return queue.requeue(id, why, now, &attempt, run, refused);
  };
  return impl_->ask<RunRecord>(std::move(work), std::move(on_done), run_id.size() + why.size());
}

Taken Journal::request_kill(std::string_view run_id, std::string_view signal,
                            JournalAnswer<KillRequest> on_done) {
  if (!is_id(run_id) || !is_signal_word(signal)) return Taken::kWrongUse;
  auto work = [id = std::string(run_id), signal = std::string(signal)](
                  Queue& queue, std::int64_t now, KillRequest* request, Status* refused) {
    return queue.request_kill(id, signal, now, request, refused);
  };
  return impl_->ask<KillRequest>(std::move(work), std::move(on_done),
                                 run_id.size() + signal.size());
}

Taken Journal::answer(std::int64_t request_id, std::string_view text, JournalDone on_done) {
  if (text.size() > kMaxJournalTextBytes) return Taken::kWrongUse;
  auto work = [request_id, text = std::string(text)](Queue& queue, std::int64_t now,
                                                     Status* refused) {
    return queue.answer(request_id, text, now, refused);
  };
  return impl_->ask(std::move(work), std::move(on_done), text.size());
}

Taken Journal::take_backlog(std::string_view session_id,
                            JournalAnswer<std::vector<BacklogMessage>> on_done) {
  if (session_id.size() > kMaxJournalIdBytes) return Taken::kWrongUse;
  using Messages = std::vector<BacklogMessage>;
  auto work = [session = std::string(session_id)](Queue& queue, std::int64_t now,
                                                  Messages* messages, Status*) {
    return queue.backlog().take(session, now, messages);
  };
  return impl_->ask<Messages>(std::move(work), std::move(on_done), session_id.size());
}

Taken Journal::add_usage(std::string_view run_id, const UsageSample& sample) {
  if (!is_id(run_id)) return Taken::kWrongUse;
  QueuedUsage usage{std::string(run_id), sample};
  if (usage.sample.at == 0) usage.sample.at = impl_->wall();
  return impl_->put(std::move(usage), run_id.size());
}

}  // namespace gibbous
