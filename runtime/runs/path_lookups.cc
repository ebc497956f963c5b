#include "runtime/runs/path_lookups.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "runtime/paths/helper.h"
#include "runtime/process/launch.h"

namespace gibbous {

namespace {

paths::Helpers::Time now() {
  return std::chrono::steady_clock::now();
}

}  // namespace

struct PathLookups::Watch {
  uv_poll_t poll = {};
  PathLookups* owner = nullptr;
  OpenHandles* handles = nullptr;
  int descriptor = -1;
};

PathLookups::PathLookups(uv_loop_s* loop, Deadlines& deadlines, std::string keeper_path)
    : loop_(loop), deadlines_(deadlines), keeper_path_(std::move(keeper_path)) {
  helpers_ = std::make_unique<paths::Helpers>(paths::Helpers::Loop{
      [this] { return start_helper(); }, [this](int descriptor) { watch(descriptor); },
      [this](int descriptor) { unwatch(descriptor); }});
}

PathLookups::~PathLookups() = default;

PathLookups::Ticket PathLookups::ask(paths::Question question, std::uint64_t mount,
                                     Answered answered) {
  if (helpers_ == nullptr) return 0;
  const Ticket ticket = helpers_->ask(std::move(question), mount, now(), std::move(answered));
  arm();
  return ticket;
}

void PathLookups::drop(Ticket ticket) {
  if (helpers_) helpers_->drop(ticket);
}

void PathLookups::close(std::function<void()> on_closed) {
  deadlines_.cancel(timer_);
  handles_.opened();  // so that there is one to close in any case
  handles_.when_none(std::move(on_closed));
  helpers_.reset();
  reap();
  handles_.closed();
}

UniqueFd PathLookups::start_helper() {
  if (program_.path.empty()) {
    const auto path = find_keeper(keeper_path_);
    auto program = path ? open_keeper(*path) : Result<KeeperProgram>(path.status());
    if (!program) return {};
    program_ = std::move(*program);
  }
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  UniqueFd own(ends[0]);
  const UniqueFd helper(ends[1]);
  std::string name = "gibbous-keeper";
  std::string argument = paths::kHelperArgument;
  std::array<char*, 3> argv{name.data(), argument.data(), nullptr};
  Launched launched;
  const Executable executable{program_.path.c_str(), program_.bytes.get()};
  if (launch_detached(executable, argv.data(), helper.get(), launched)) return {};
  reap();
  started_.push_back(std::move(launched.pidfd));
  return own;
}

void PathLookups::reap() {
  std::erase_if(started_, [](const UniqueFd& process) {
    pollfd end{process.get(), POLLIN, 0};
    if (::poll(&end, 1, 0) == 0) return false;
    siginfo_t info{};
    (void)::waitid(P_PIDFD, static_cast<id_t>(process.get()), &info, WEXITED | WNOHANG);
    return true;
  });
}

void PathLookups::watch(int descriptor) {
  auto* watch = new Watch;
  watch->owner = this;
  watch->handles = &handles_;
  watch->descriptor = descriptor;
  if (uv_poll_init(loop_, &watch->poll, descriptor) != 0) {
    delete watch;  // its answers are never read, and its questions time out
    return;
  }
  watch->poll.data = watch;
  handles_.opened();
  watches_[descriptor] = watch;
  uv_poll_start(&watch->poll, UV_READABLE | UV_DISCONNECT, [](uv_poll_t* poll, int, int) noexcept {
    const auto* ready = static_cast<Watch*>(poll->data);
    PathLookups* owner = ready->owner;
    owner->helpers_->on_readable(ready->descriptor, now());
    owner->reap();
    if (owner->helpers_) owner->arm();
  });
  uv_unref(reinterpret_cast<uv_handle_t*>(&watch->poll));
}

void PathLookups::unwatch(int descriptor) {
  const auto found = watches_.find(descriptor);
  if (found == watches_.end()) return;
  Watch* watch = found->second;
  watches_.erase(found);
  uv_poll_stop(&watch->poll);
  uv_close(reinterpret_cast<uv_handle_t*>(&watch->poll), [](uv_handle_t* handle) noexcept {
    auto* closed = static_cast<Watch*>(handle->data);
    OpenHandles* handles = closed->handles;
    delete closed;
    handles->closed();
  });
}

void PathLookups::arm() {
  deadlines_.cancel(timer_);
  const auto due = helpers_->due();
  if (due == paths::Helpers::Time::max()) return;
  const auto left = due == paths::Helpers::Time::min() ? Nanos{0} : Nanos(due - now());
  timer_ = deadlines_.after(std::max(left, Nanos{0}), [this] {
    timer_ = 0;
    helpers_->on_time(now());
    if (helpers_) arm();
  });
}

}  // namespace gibbous
