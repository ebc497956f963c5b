#include "runtime/keeper/cleanup_commands.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace gibbous::keeper {
namespace {

// More at once would be slower: most of them talk to the same server.
constexpr std::size_t kMaxAtOnce = 16;

}  // namespace

void CleanupCommands::keep(RunKey run, wire::Bytes body) {
  kept_[run] = wire::Buffer(body.begin(), body.end());
}

std::vector<CleanupCommands::OnDone>* CleanupCommands::listeners_of(RunKey run) {
  for (Waiting& cleanup : waiting_) {
    if (cleanup.run == run) return &cleanup.on_done;
  }
  for (auto& [pid, cleanup] : running_) {
    if (cleanup.run == run) return &cleanup.on_done;
  }
  return nullptr;
}

void CleanupCommands::grant(RunKey run, OnDone on_done, Time now) {
  if (auto kept = kept_.extract(run); !kept.empty()) {
    waiting_.push_back({run, std::move(kept.mapped()), {std::move(on_done)}});
    start_waiting(now);
  } else if (std::vector<OnDone>* listeners = listeners_of(run)) {
    listeners->push_back(std::move(on_done));
  } else if (on_done) {
    on_done(true);
  }
}

void CleanupCommands::notify(const std::vector<OnDone>& listeners, bool granted) {
  for (const OnDone& on_done : listeners) {
    if (on_done) on_done(granted);
  }
}

bool CleanupCommands::grant_all(Time now) {
  for (auto& [run, body] : kept_) waiting_.push_back({run, std::move(body), {}});
  kept_.clear();
  start_waiting(now);
  return running();
}

void CleanupCommands::start_waiting(Time now) {
  while (!waiting_.empty() && running_.size() < kMaxAtOnce) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    const pid_t pid = start_(next.body);
    if (pid > 0) {
      running_[pid] = {next.run, now + kCleanupLimit, std::move(next.on_done)};
    } else {
      notify(next.on_done, false);
    }
  }
}

bool CleanupCommands::ended(pid_t pid, int status, Time now) {
  auto found = running_.extract(pid);
  if (found.empty()) return false;
  // The processes it left behind are out of time too.
  ::kill(-pid, SIGKILL);
  notify(found.mapped().on_done, WIFEXITED(status) && WEXITSTATUS(status) == 0);
  start_waiting(now);
  return true;
}

void CleanupCommands::tick(Time now) {
  for (auto& [pid, cleanup] : running_) {
    if (now < cleanup.until) continue;
    ::kill(-pid, SIGKILL);
    cleanup.until = Time::max();  // it is reaped soon
  }
}

Time CleanupCommands::due() const {
  Time due = Time::max();
  for (const auto& [pid, cleanup] : running_) due = std::min(due, cleanup.until);
  return due;
}

}  // namespace gibbous::keeper
