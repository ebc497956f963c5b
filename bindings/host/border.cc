#include "bindings/host/border.h"

#include <unistd.h>

#include <utility>

#include "runtime/base/thread_number.h"

namespace gibbous {

const char* to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "none";
    case Refusal::kClosed:
      return "closed";
    case Refusal::kWrongThread:
      return "wrong_thread";
    case Refusal::kForked:
      return "forked";
    case Refusal::kReentrant:
      return "reentrant";
  }
  return "unknown";
}

namespace host {

namespace {

// The runtimes of the process that counts them.
std::atomic<int> living{0};
std::atomic<pid_t> counter{0};

}  // namespace

bool may_have_runtimes() {
  return living == 0 || counter == ::getpid();
}

Border::Border() : thread_(thread_number()), process_(::getpid()) {
  counter = process_;
  ++living;
}

Border::~Border() {
  // What a child inherited stays counted.
  if (process_ == ::getpid()) --living;
}

Refusal Border::where() const {
  if (::getpid() != process_) return Refusal::kForked;
  return thread_number() == thread_ ? Refusal::kNone : Refusal::kWrongThread;
}

void Border::keep(std::shared_ptr<const void> dropped) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(dropped));
}

void Border::free() {
  std::vector<std::shared_ptr<const void>> freed;  // without the lock
  {
    const std::lock_guard lock(mutex_);
    freed.swap(kept_);
  }
}

Refusal Border::check(bool outside) const {
  if (const Refusal elsewhere = where(); elsewhere != Refusal::kNone) return elsewhere;
  if (closed_) return Refusal::kClosed;
  return outside && is_inside() ? Refusal::kReentrant : Refusal::kNone;
}

}  // namespace host
}  // namespace gibbous
