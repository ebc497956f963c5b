#include "bindings/host/border.h"

#include <unistd.h>

#include <utility>

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

Border::Border() : thread_(std::this_thread::get_id()), process_(::getpid()) {}

Refusal Border::where() const {
  if (::getpid() != process_) return Refusal::kForked;
  return std::this_thread::get_id() == thread_ ? Refusal::kNone : Refusal::kWrongThread;
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
