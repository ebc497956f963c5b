#include "bindings/host/border.h"

#include <unistd.h>

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

Refusal Border::check(bool outside) const {
  if (const Refusal elsewhere = where(); elsewhere != Refusal::kNone) return elsewhere;
  if (closed_) return Refusal::kClosed;
  return outside && is_inside() ? Refusal::kReentrant : Refusal::kNone;
}

}  // namespace host
}  // namespace gibbous
