#include "runtime/queue/news.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "runtime/base/session_name.h"
#include "runtime/process/pid_space.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxRequests = 1000;
constexpr std::size_t kMaxChoices = 100;
constexpr std::size_t kMaxSteps = 4096;  // around the ring in one look

std::optional<bool> seen_alive(const WorkerRecord& worker) {
  return is_process_alive(worker.boot_id, worker.pid, worker.pid_started);
}

// Walks along the ring, from this worker to the next living one that takes over.
Status walk(JournalReader& reader, const NewsQuestion& question, QueueNews* news) {
  std::string at = question.worker_id;
  bool wrapped = false;
  news->alone = true;
  for (std::size_t i = 0; i < kMaxSteps; ++i) {
    const Result<WorkerRecord> next = reader.next_worker(at, question.boot_id);
    if (!next && next.status().code() == "worker_not_found") break;
    if (!next) return next.status();
    wrapped = wrapped || next->worker_id <= at;
    if (wrapped && next->worker_id >= question.worker_id) break;
    at = next->worker_id;
    if (!seen_alive(*next).value_or(true)) {
      news->dead.push_back(at);
      continue;
    }
    if (news->to_watch.size() < kMaxWatched) news->to_watch.push_back(*next);
    if (!next->takes_over) continue;
    news->alone = false;
    break;
  }
  return {};
}

// Examines workers that may not be visible from here.
void examine(const std::vector<WorkerRecord>& workers, std::int64_t now, QueueNews* news) {
  for (const WorkerRecord& worker : workers) {
    const std::optional<bool> seen = seen_alive(worker);
    if (seen ? *seen : lease_holds(worker, now)) {
      // A lease that ends is examined once more.
      const std::int64_t end = worker.lease_until + 1;
      if (!seen) news->lease_end = news->lease_end == 0 ? end : std::min(news->lease_end, end);
    } else {
      news->dead.push_back(worker.worker_id);
    }
  }
}

Status look_after_workers(JournalReader& reader, const NewsQuestion& question, QueueNews* news) {
  if (Status status = walk(reader, question, news); !status) return status;
  const auto is_before = [&](const WorkerRecord& worker) {
    return worker.takes_over && worker.worker_id > question.worker_id;
  };
  if (std::none_of(news->to_watch.begin(), news->to_watch.end(), is_before)) {
    const auto elsewhere = reader.workers_elsewhere(question.boot_id);
    if (!elsewhere) return elsewhere.status();
    examine(*elsewhere, question.now, news);
  }
  if (question.begins) {
    const Result<bool> ownerless = reader.has_ownerless();
    if (!ownerless) return ownerless.status();
    news->ownerless = *ownerless;
  }
  for (const std::string& client : question.scope.clients) {
    const auto owners = reader.owners(client);
    if (!owners) return owners.status();
    examine(*owners, question.now, news);
  }
  return {};
}

}  // namespace

Result<QueueNews> read_news(JournalReader& reader, const NewsQuestion& question) {
  QueueNews news;
  const Result<std::int64_t> changes = reader.changes();
  if (!changes) return changes.status();
  news.changed = *changes != question.seen_changes;
  news.changes = *changes;
  // A request stays open until its run is here, so it is news without a change, too.
  Result<std::vector<RunRequest>> requests = reader.requests(question.worker_id, kMaxRequests);
  if (!requests) return requests.status();
  news.requests = std::move(*requests);
  if (news.changed && question.claims) {
    const Result<QueueChoices> choices = reader.queue_choices(question.scope, kMaxChoices);
    if (!choices) return choices.status();
    news.claimable = !choices->now.empty();
    news.lacks_place = choices->lacks_place;
    news.behind = choices->behind;
    for (const QueueHead& head : choices->now) {
      const bool other = !head.owner.empty() && head.owner != question.worker_id;
      if (other) news.of_others.push_back(head.run_id);
    }
  }
  for (const std::string& client : question.scope.clients) {
    if (!news.changed || !is_claimed_session(client)) continue;
    const Result<bool> has_mail = reader.has_messages(client, question.worker_id);
    if (!has_mail) return has_mail.status();
    if (*has_mail) news.mail.push_back(client);
  }
  if (question.takes_over) {
    if (Status status = look_after_workers(reader, question, &news); !status) return status;
  }
  return news;
}

}  // namespace gibbous
