#include "runtime/paths/helpers.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

namespace gibbous::paths {

Helpers::Helpers(Loop loop) : loop_(std::move(loop)) {}

Helpers::~Helpers() {
  for (const auto& helper : helpers_) loop_.unwatch(helper->socket.get());
}

Helpers::Ticket Helpers::ask(Question question, std::uint64_t mount, Time now, Answered answered) {
  auto asked = std::make_unique<Asked>();
  const Ticket ticket = asked->ticket = ++last_ticket_;
  asked->question = std::move(question);
  asked->mount = mount;
  asked->until = now + kPatience;
  asked->answered = std::move(answered);
  if (is_held(mount)) {
    finish(std::move(asked), {});
  } else {
    waiting_.push_back(std::move(asked));
    give(now);
  }
  return ticket;
}

void Helpers::drop(Ticket ticket) {
  const auto is_it = [ticket](const auto& asked) { return asked && asked->ticket == ticket; };
  std::erase_if(waiting_, is_it);
  std::erase_if(finished_, [&](const auto& finished) { return is_it(finished.first); });
  for (const auto& helper : helpers_) {
    if (is_it(helper->asked)) helper->asked->answered = nullptr;  // its answer is still awaited
  }
}

// A helper hangs at it. Mount 0 is one that is not known.
bool Helpers::is_held(std::uint64_t mount) const {
  const auto hangs = [&](const auto& helper) { return helper->given_up && helper->mount == mount; };
  return mount != 0 && std::any_of(helpers_.begin(), helpers_.end(), hangs);
}

bool Helpers::is_asked_slowly(std::uint64_t mount, Time now) const {
  return mount != 0 && std::any_of(helpers_.begin(), helpers_.end(), [&](const auto& helper) {
           return helper->asked && helper->mount == mount && now - helper->since >= kHeldUp;
         });
}

// Returns one that can be asked now. Another is started only when each is held up.
Helpers::Helper* Helpers::find_idle(Time now) {
  bool busy = false;
  for (const auto& helper : helpers_) {
    if (helper->is_idle()) return helper.get();
    busy = busy || (helper->asked && now - helper->since < kHeldUp);
  }
  if (busy || helpers_.size() >= kMaxHelpers) return nullptr;
  auto made = std::make_unique<Helper>();
  made->socket = loop_.start_helper();
  if (!made->socket) return nullptr;
  loop_.watch(made->socket.get());
  helpers_.push_back(std::move(made));
  return helpers_.back().get();
}

bool Helpers::send(Helper& helper, std::unique_ptr<Asked> asked, Time now) {
  const auto packet = encode(asked->question);
  if (!packet) {
    finish(std::move(asked), {true, ENAMETOOLONG, ""});
    return true;
  }
  // A helper without a question reads at once, so that there is room.
  const ssize_t sent =
      ::send(helper.socket.get(), packet->data(), packet->size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) {
    // It ended after a while without questions; it is removed when its end is read.
    helper.given_up = true;
    helper.mount = 0;
    waiting_.push_front(std::move(asked));
    return false;
  }
  helper.mount = asked->mount;
  helper.since = now;
  helper.asked = std::move(asked);
  return true;
}

void Helpers::give(Time now) {
  looked_ = now;
  for (std::size_t at = 0; at < waiting_.size();) {
    if (is_asked_slowly(waiting_[at]->mount, now)) {
      ++at;
      continue;
    }
    Helper* helper = find_idle(now);
    if (helper == nullptr) {
      const bool none = helpers_.empty();
      const bool all_hang = std::all_of(helpers_.begin(), helpers_.end(),
                                        [](const auto& each) { return each->given_up; });
      if (!none && !all_hang) return;
      // No helper can be had: no answer will come.
      while (!waiting_.empty()) {
        finish(std::move(waiting_.front()), {});
        waiting_.pop_front();
      }
      return;
    }
    auto next = std::move(waiting_[at]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
    if (!send(*helper, std::move(next), now)) at = 0;
  }
}

void Helpers::finish(std::unique_ptr<Asked> asked, Answer answer) {
  if (asked->answered) finished_.emplace_back(std::move(asked), std::move(answer));
}

void Helpers::remove(const Helper& helper) {
  loop_.unwatch(helper.socket.get());
  std::erase_if(helpers_, [&](const auto& each) { return each.get() == &helper; });
}

void Helpers::call_back() {
  while (!finished_.empty()) {
    auto [asked, answer] = std::move(finished_.front());
    finished_.pop_front();
    asked->answered(std::move(answer));
  }
}

void Helpers::on_readable(int descriptor, Time now) {
  read(descriptor);
  give(now);
  call_back();
}

void Helpers::read(int descriptor) {
  const auto found = std::find_if(helpers_.begin(), helpers_.end(), [&](const auto& helper) {
    return helper->socket.get() == descriptor;
  });
  if (found == helpers_.end()) return;
  Helper& helper = **found;
  std::vector<char> packet(kMaxAnswerBytes);
  const ssize_t size = ::recv(descriptor, packet.data(), packet.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  auto asked = std::move(helper.asked);
  const auto answer =
      size <= 0
          ? std::nullopt
          : decode_answer(std::span<const char>(packet.data(), static_cast<std::size_t>(size)));
  if (answer) {
    helper.given_up = false;  // what it hung at has answered
    if (asked) finish(std::move(asked), *answer);
  } else {
    remove(helper);
    if (asked && !std::exchange(asked->retried, true)) {
      waiting_.push_front(std::move(asked));
    } else if (asked) {
      finish(std::move(asked), {});
    }
  }
}

bool Helpers::Asked::is_overdue(Time now) {
  if (now < until) return false;
  if (now - until < kStoodStill || waited_anew == kMostWaitedAnew) return true;
  ++waited_anew;
  until = now + kPatience;
  return false;
}

void Helpers::on_time(Time now) {
  // A loop tells the time before it tells of descriptors: the answer may be there.
  std::vector<int> overdue;
  for (const auto& helper : helpers_) {
    if (helper->asked && now >= helper->asked->until) overdue.push_back(helper->socket.get());
  }
  for (const int descriptor : overdue) read(descriptor);
  for (const auto& helper : helpers_) {
    if (!helper->asked || !helper->asked->is_overdue(now)) continue;
    helper->given_up = true;
    finish(std::move(helper->asked), {});
  }
  // What waits for the same mount gets no answer either.
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (is_held((*at)->mount) || (*at)->is_overdue(now)) {
      finish(std::move(*at), {});
      at = waiting_.erase(at);
    } else {
      ++at;
    }
  }
  give(now);
  call_back();
}

Helpers::Time Helpers::due() const {
  if (!finished_.empty()) return Time::min();
  Time due = Time::max();
  for (const auto& helper : helpers_) {
    if (!helper->asked) continue;
    due = std::min(due, helper->asked->until);
    const Time held_up = helper->since + kHeldUp;
    if (!waiting_.empty() && held_up > looked_) due = std::min(due, held_up);
  }
  for (const auto& asked : waiting_) due = std::min(due, asked->until);
  return due;
}

}  // namespace gibbous::paths
