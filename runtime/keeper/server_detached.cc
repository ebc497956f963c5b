// Server, detached runs: what happens when the host is gone, and when the next one connects.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime/keeper/server.h"
#include "runtime/process/proc.h"

namespace gibbous::keeper {

void stay_reachable(int fd) {
  ::fcntl(fd, F_SETOWN, ::getpid());
  ::fcntl(fd, F_SETSIG, SIGCONT);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_ASYNC);
}

namespace {

constexpr std::chrono::seconds kHelloLimit{10};

// How many filters of system calls a process has; a large number when that is unknown.
int seccomp_filters(pid_t pid) {
  constexpr int kUnknown = 1'000'000;
  constexpr std::string_view kField = "\nSeccomp_filters:";
  std::array<char, 8192> text{};
  if (!read_proc_file(pid, "status", text)) return kUnknown;
  const std::string_view all(text.data());
  const std::size_t at = all.find(kField);
  // Before Linux 5.9 the kernel only shows whether there are any.
  if (at != std::string_view::npos) return std::atoi(text.data() + at + kField.size());
  constexpr std::string_view kMode = "\nSeccomp:";
  const std::size_t mode = all.find(kMode);
  return mode == std::string_view::npos ? kUnknown : std::atoi(text.data() + mode + kMode.size());
}

}  // namespace

bool Server::has_detached() const {
  bool any = false;
  if (process_table_)
    process_table_->for_each(
        [&any](KeeperRun& run) { any = any || (run.keep && !(run.empty() && run.keep->settled)); });
  return any;
}

Status Server::open_control_socket(const std::string& directory) {
  if (control_) return {};
  auto control_socket = ControlSocket::open(directory, keeper_number_, host_identity_);
  if (!control_socket) return control_socket.status();
  control_ = std::make_unique<ControlSocket>(std::move(*control_socket));
  watch_control_socket(true);
  return {};
}

// All but detached runs have ended or cannot be ended; the keeper now waits for the next host.
void Server::stay_alone() {
  if (!lifecycle_.on(Event::kOthersEnded)) return;
  ending_.reset();
  tell_warden(Time::max());
  (void)cleanups_->grant_all(std::chrono::steady_clock::now());
  watch_control_socket(true);
  host_gone_ = false;
  process_table_->for_each([](KeeperRun& run) {
    if (run.keep) disconnect(*run.keep);
  });
  unsettled_.clear();
  note_detached_ends();
}

void Server::watch_control_socket(bool watched) {
  epoll_event event{EPOLLIN, {.fd = control_->fd()}};
  ::epoll_ctl(epoll_.get(), watched ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, control_->fd(), &event);
}

// A terminal is given as well, for what is typed: its output comes through the other descriptor.
void Server::connect(Detached& detached, std::array<RelayPipe, 2> pipes,
                     wire::StartedMessage& started, FdList& fds) {
  UniqueFd out = detached.out.connect(std::move(pipes[0]));
  UniqueFd err = detached.terminal ? std::move(out) : detached.err.connect(std::move(pipes[1]));
  if (detached.terminal) out = detached.out.source();
  started.out = static_cast<bool>(out);
  started.err = static_cast<bool>(err);
  if (out) fds.add(std::move(out));
  if (err) fds.add(std::move(err));
}

void Server::disconnect(Detached& detached) {
  detached.out.disconnect();
  detached.err.disconnect();
}

// The next host need not see the run any more.
void Server::settle(KeeperRun& run) {
  run.keep->settled = true;
  changed_.push_back(run.key);
}

// The host has been told the end of this run, and says when it is recorded. One whose disk is full
// does not for long.
void Server::note_unsettled(RunKey key) {
  unsettled_.push_back(key);
  std::erase_if(unsettled_, [this](RunKey each) {
    const KeeperRun* const run = process_table_->find(each);
    return run == nullptr || !run->keep || run->keep->settled;
  });
  if (unsettled_.size() <= kMaxUnsettled) return;
  settle(*process_table_->find(unsettled_.front()));
  unsettled_.pop_front();
}

// The keeper is alone: when nothing is alive, it remembers the ends for a while, if a host can
// still come for them.
void Server::note_detached_ends() {
  bool alive = false;
  process_table_->for_each(
      [&alive](KeeperRun& run) { alive = alive || (run.keep && !run.empty()); });
  if (alive) {
    alone_until_ = Time::max();
  } else if (alone_until_ == Time::max()) {
    const auto rest = control_->has_name() ? kDetachedEndLimit : std::chrono::minutes(0);
    alone_until_ = std::chrono::steady_clock::now() + rest;
  }
}

// Accepts a connection. A keeper with a host rejects it, and so does one that still carries out
// cleanup commands: its other runs are over only then. While it is ending what the last host left,
// a new connection waits.
void Server::accept_control() {
  UniqueFd visitor = control_->accept();
  if (!visitor || !lifecycle_.is(Phase::kAlone) || cleanups_->running()) return;
  ucred host{};
  socklen_t size = sizeof host;
  if (::getsockopt(visitor.get(), SOL_SOCKET, SO_PEERCRED, &host, &size) != 0) return;
  // A sandboxed process must not connect: this socket leads out of its sandbox.
  if (seccomp_filters(host.pid) > seccomp_filters(::getpid())) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, channel_.fd(), nullptr);
  channel_ = Channel(std::move(visitor), wire::kMaxMessageBytes);
  interest_ = 0;
  host_.reset(static_cast<int>(::syscall(SYS_pidfd_open, host.pid, 0U)));
  if (host_) {
    epoll_event event{EPOLLIN, {.fd = host_.get()}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, host_.get(), &event);
  }
  stay_reachable(channel_.fd());
  if (!lifecycle_.on(Event::kAccepted)) return;
  connected_ = true;
  hello_until_ = std::chrono::steady_clock::now() + kHelloLimit;
  host_gone_ = false;  // it was about the last host
  alone_until_ = Time::max();
}

// The next host has said hello: the keeper sends it every message about each detached run.
void Server::hand_over() {
  process_table_->rescan();
  std::vector<RunKey> keys;
  process_table_->for_each([&keys](KeeperRun& run) {
    if (run.keep) keys.push_back(run.key);
  });
  std::sort(keys.begin(), keys.end());
  for (const RunKey key : keys) {
    // This host is gone as well: the next one gets what is not handed over yet.
    if (!connected_) return;
    KeeperRun& run = *process_table_->find(key);
    Detached& detached = *run.keep;
    run.forgotten = false;  // by the last host
    wire::DetachedMessage message;
    message.started = detached.started;
    message.notes = detached.notes;
    message.out = {{}, detached.out.end(), detached.out.sent()};
    message.err = {{}, detached.err.end(), detached.err.sent()};
    FdList fds;
    UniqueFd leader(run.leader != 0 ? static_cast<int>(::syscall(SYS_pidfd_open, run.leader, 0U))
                                    : -1);
    message.fds[0] = static_cast<bool>(leader);
    if (leader) fds.add(std::move(leader));
    connect(detached, {RelayPipe::make(), RelayPipe::make()}, message.started, fds);
    message.fds[1] = message.started.out;
    message.fds[2] = message.started.err;
    std::size_t next = 3;
    for (const Relay* relay : {&detached.out, &detached.err}) {
      UniqueFd copy = relay->copy();
      message.fds[next++] = static_cast<bool>(copy);
      if (copy) fds.add(std::move(copy));
    }
    wire::encode(out_, key, message);
    send(std::move(fds));
    if (const auto limit = std::exchange(detached.limit, std::nullopt)) {
      wire::encode(out_, key, *limit);
      send();
    }
    if (detached.exit) {
      wire::encode(out_, key, *detached.exit);
      send();
      run.left = 0;
      note_unsettled(key);
      changed_.push_back(key);
    }
  }
  wire::encode(out_, 0, wire::DetachedAll{});
  send();
}

}  // namespace gibbous::keeper
