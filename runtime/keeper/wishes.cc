#include "runtime/keeper/wishes.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace gibbous::keeper {
namespace {

// More at once would be slower, not faster: most of them ask the same server.
constexpr std::size_t kMaxAtOnce = 16;

}  // namespace

void Wishes::keep(RunKey run, wire::Bytes body) {
  kept_[run] = wire::Buffer(body.begin(), body.end());
}

std::vector<Wishes::OnDone>* Wishes::listeners_of(RunKey run) {
  for (Waiting& wish : waiting_) {
    if (wish.run == run) return &wish.on_done;
  }
  for (auto& [pid, wish] : running_) {
    if (wish.run == run) return &wish.on_done;
  }
  return nullptr;
}

void Wishes::grant(RunKey run, OnDone on_done, Time now) {
  if (auto kept = kept_.extract(run); !kept.empty()) {
    waiting_.push_back({run, std::move(kept.mapped()), {std::move(on_done)}});
    start_waiting(now);
  } else if (std::vector<OnDone>* listeners = listeners_of(run)) {
    listeners->push_back(std::move(on_done));
  } else if (on_done) {
    on_done(true);
  }
}

void Wishes::tell(const std::vector<OnDone>& listeners, bool granted) {
  for (const OnDone& on_done : listeners) {
    if (on_done) on_done(granted);
  }
}

bool Wishes::grant_all(Time now) {
  for (auto& [run, body] : kept_) waiting_.push_back({run, std::move(body), {}});
  kept_.clear();
  start_waiting(now);
  return running();
}

void Wishes::start_waiting(Time now) {
  while (!waiting_.empty() && running_.size() < kMaxAtOnce) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    const pid_t pid = start_(next.body);
    if (pid > 0) {
      running_[pid] = {next.run, now + kWishLimit, std::move(next.on_done)};
    } else {
      tell(next.on_done, false);
    }
  }
}

bool Wishes::ended(pid_t pid, int status, Time now) {
  auto found = running_.extract(pid);
  if (found.empty()) return false;
  // What it started and left behind has no time either.
  ::kill(-pid, SIGKILL);
  tell(found.mapped().on_done, WIFEXITED(status) && WEXITSTATUS(status) == 0);
  start_waiting(now);
  return true;
}

void Wishes::tick(Time now) {
  for (auto& [pid, wish] : running_) {
    if (now < wish.until) continue;
    ::kill(-pid, SIGKILL);
    wish.until = Time::max();  // it is reaped soon
  }
}

Time Wishes::due() const {
  Time due = Time::max();
  for (const auto& [pid, wish] : running_) due = std::min(due, wish.until);
  return due;
}

}  // namespace gibbous::keeper
