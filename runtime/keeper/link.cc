// The host never waits for the keeper, which is not its child (launch_detached); a pidfd and the
// socket show its end.
#include "runtime/keeper/link.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "runtime/base/random_id.h"
#include "runtime/keeper/control_socket.h"
#include "runtime/process/launch.h"
#include "runtime/process/mark.h"
#include "runtime/process/proc.h"

namespace gibbous {
namespace {

constexpr int kMessagesPerTurn = 64;
constexpr int kEveryMessage = std::numeric_limits<int>::max();
constexpr Millis kRetrySend{10};
constexpr Millis kHandshakeLimit{10'000};
constexpr Millis kPulse{10'000};
// Between two looks at a keeper that is stopped, or has just had something to do.
constexpr Millis kStoppedPulse{250};
constexpr int kLooksAfterMessage = 4;
// A keeper that is found stopped so often, although it was continued each time, is stopped on
// purpose, and is given up. Between two stops its warden may have continued it: such a look takes
// back an eighth.
constexpr int kWeight = 8;
constexpr int kHopeless = 36 * kWeight;
// In so many looks a keeper that was asked something answers; one that a run holds with ptrace(2)
// has a tenth of them. Looks and not time: this process may have stood still itself.
constexpr int kSilentLooks = 80;
constexpr int kHeldWeight = 10;
constexpr const char* kAdvice = "; set GIBBOUS_KEEPER to the gibbous-keeper of this Gibbous";

const char* step_text(StartStep step) {
  if (step == StartStep::kFork) return "cannot make a process for";
  return step == StartStep::kStdio ? "cannot open /dev/null for" : "cannot execute";
}

// When the host reaps orphans, the keeper has become its child after all and would stay a zombie.
// It has just been sent SIGKILL, so the wait is short.
void reap_if_ours(int pidfd) {
  constexpr int kReapLimitMillis = 50;
  int reaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &reaper, 0, 0, 0);
  constexpr pid_t kInit = 1;
  if (reaper == 0 && ::getpid() != kInit) return;
  pollfd end{pidfd, POLLIN, 0};
  (void)::poll(&end, 1, kReapLimitMillis);
  siginfo_t info{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | WNOHANG);
}

enum class Tracer : std::uint8_t { kNone, kRun, kOther };

// Whether a process of a run traces the keeper, or another one, such as a debugger.
Tracer tracer_of(pid_t keeper) {
  constexpr std::size_t kStatusBytes = 8192;
  std::array<char, kStatusBytes> text;
  if (!read_proc_file(keeper, "status", text)) return Tracer::kNone;
  const std::string number(status_field(text.data(), "TracerPid"));
  pid_t at = std::atoi(number.c_str());
  if (at == 0) return Tracer::kNone;
  while (at > 1 && at != keeper) {
    const auto stat = read_stat(at);
    at = stat ? stat->parent : 0;
  }
  return at == keeper ? Tracer::kRun : Tracer::kOther;
}

bool has_ended(int pidfd) {
  pollfd end{pidfd, POLLIN, 0};
  return ::poll(&end, 1, 0) > 0;
}

// Each message then names its sender, which is the keeper; what is started is its warden.
void pass_credentials(int socket, bool passes) {
  const int value = passes ? 1 : 0;
  (void)::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &value, sizeof value);
}

}  // namespace

Result<Link*> Link::open(uv_loop_t* loop, const KeeperProgram& program, std::uint64_t open_files,
                         LinkOwner& owner, OpenHandles& handles) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    return Status::error("keeper_not_started",
                         std::string("cannot make a socket pair: ") + std::strerror(errno));
  }
  UniqueFd library(ends[0]);
  const UniqueFd keeper(ends[1]);
  pass_credentials(library.get(), true);
  std::string name = "gibbous-keeper";
  std::string files = kOpenFilesArgument + std::to_string(open_files);
  std::array<char*, 3> argv{name.data(), open_files == 0 ? nullptr : files.data(), nullptr};
  Launched launched;
  const Executable executable{program.path.c_str(), program.bytes.get()};
  if (const auto error = launch_detached(executable, argv.data(), keeper.get(), launched)) {
    return Status::error("keeper_not_started", std::string(step_text(error->step)) +
                                                   " the keeper " + program.path + ": " +
                                                   std::strerror(error->error) + kAdvice);
  }
  Link* link = new Link(loop, program.path, owner, handles, std::move(library));
  link->pid_ = launched.pid;
  link->pidfd_ = std::move(launched.pidfd);
  link->note_limits();
  if (const int error = link->watch(); error != 0) {
    link->close();  // the keeper finds no peer and exits
    return Status::error("keeper_not_started",
                         std::string("cannot watch the keeper: ") + uv_strerror(error));
  }
  link->greet();
  return link;
}

Result<Link*> Link::adopt(uv_loop_t* loop, const std::string& control_socket, LinkOwner& owner,
                          OpenHandles& handles) {
  auto connection = connect_to_keeper(control_socket);
  if (!connection) return connection.status();
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, connection->pid, 0U)));
  if (!process) return Status::error("keeper_gone", control_socket + ": " + std::strerror(errno));
  Link* link = new Link(loop, control_socket, owner, handles, std::move(connection->socket));
  link->pid_ = connection->pid;
  link->pidfd_ = std::move(process);
  link->adopting_ = true;
  if (const int error = link->watch(); error != 0) {
    link->close();
    return Status::error("keeper_gone",
                         std::string("cannot watch the keeper: ") + uv_strerror(error));
  }
  link->greet();
  return link;
}

void Link::greet() {
  wire::encode(buffer_, 0, wire::Hello{keeper_number_});
  send();
  handshake_.start(kHandshakeLimit);
  if (adopting_) handshake_.unref();
  pulse_.unref();
  pulse_.start(kPulse);
}

Link::Link(uv_loop_t* loop, std::string path, LinkOwner& owner, OpenHandles& handles,
           UniqueFd socket)
    : path_(std::move(path)),
      owner_(owner),
      handles_(handles),
      channel_(std::move(socket), wire::kMaxReplyBytes),
      keeper_number_(static_cast<std::uint32_t>(random_bits())),
      loop_(loop),
      retry_(loop, handles, [this] { on_socket(0, UV_WRITABLE); }),
      handshake_(loop, handles, [this] { lose("the keeper " + path_ + " does not answer"); }),
      pulse_(loop, handles, [this] { keep_going(); }) {}

int Link::watch() {
  // The link itself counts as a handle until it is freed.
  handles_.opened();
  if (const int error = uv_poll_init(loop_, &socket_poll_, channel_.fd()); error != 0) return error;
  ++open_polls_;
  if (const int error = uv_poll_init(loop_, &process_poll_, pidfd_.get()); error != 0) return error;
  ++open_polls_;
  socket_poll_.data = process_poll_.data = this;
  events_ = UV_READABLE;
  uv_poll_start(&socket_poll_, events_, on_uv_socket);
  uv_poll_start(&process_poll_, UV_READABLE, on_uv_process);
  // Calls hold the loop open, and runs that outlive their calls do not.
  uv_unref(reinterpret_cast<uv_handle_t*>(&socket_poll_));
  uv_unref(reinterpret_cast<uv_handle_t*>(&process_poll_));
  return 0;
}

void Link::close() {
  if (closing_) return;
  closing_ = true;
  retry_.stop();
  handshake_.stop();
  pulse_.stop();
  socket_poll_.data = process_poll_.data = this;
  const int polls = open_polls_;
  if (polls > 0) uv_close(reinterpret_cast<uv_handle_t*>(&socket_poll_), on_uv_closed);
  if (polls > 1) uv_close(reinterpret_cast<uv_handle_t*>(&process_poll_), on_uv_closed);
  if (polls == 0) free_self();
}

void Link::send(FdList fds) {
  if (lost_ || closing_) return;
  if (greeted_) {
    if (looks_soon_ == 0) pulse_.start(kStoppedPulse);
    looks_soon_ = kLooksAfterMessage;
  }
  const Channel::Outcome outcome = channel_.send(buffer_, std::move(fds));
  if (outcome == Channel::Outcome::kOutOfFds) {
    retry_.start(kRetrySend);
  } else if (outcome == Channel::Outcome::kLater && (events_ & UV_WRITABLE) == 0) {
    events_ |= UV_WRITABLE;
    uv_poll_start(&socket_poll_, events_, on_uv_socket);
  }
  // The loop notices a closed socket when it reads.
}

void Link::on_socket(int status, int events) {
  if ((events & UV_WRITABLE) != 0) {
    const Channel::Outcome outcome = channel_.flush();
    if (outcome == Channel::Outcome::kOutOfFds) retry_.start(kRetrySend);
    const int wanted =
        outcome == Channel::Outcome::kLater ? UV_READABLE | UV_WRITABLE : UV_READABLE;
    if (wanted != events_) uv_poll_start(&socket_poll_, events_ = wanted, on_uv_socket);
  }
  if (status != 0 || (events & ~UV_WRITABLE) != 0) receive_some(kMessagesPerTurn);
}

void Link::on_process() {
  if (keeper_ && !has_ended(keeper_.get())) {
    // Only its warden has; the socket tells of the keeper's end.
    uv_poll_stop(&process_poll_);
    return;
  }
  receive_some(kEveryMessage);
  if (!closing_) lose("the keeper " + path_ + " has ended");
}

void Link::receive_some(int limit) {
  for (int i = 0; i < limit && !closing_ && !lost_; ++i) {
    if (i > 0 && limit != kEveryMessage && !owner_.has_time()) return;
    Channel::Received received;
    switch (channel_.receive(received)) {
      case Channel::Outcome::kDone: {
        const auto header = wire::decode_header(received.message);
        const bool good =
            header && (greeted_ ? take_message(*header, received) : take_hello(*header, received));
        if (!good && !closing_) lose("the keeper " + path_ + " sent what cannot be read");
        break;
      }
      case Channel::Outcome::kUnreadable:
        lose("the keeper " + path_ + " sent what cannot be read");
        return;
      case Channel::Outcome::kClosed:
        lose("the keeper " + path_ + (greeted_ ? " has ended" : " ended before it answered"));
        return;
      case Channel::Outcome::kLater:
      case Channel::Outcome::kOutOfFds:
        return;
    }
  }
}

bool Link::take_hello(const wire::Header& header, const Channel::Received& received) {
  const auto hello = wire::decode<wire::Hello>(wire::body_of(received.message));
  if (header.type != wire::Type::kHello || !hello) return false;
  if (header.version != wire::kVersion) {
    lose("the keeper " + path_ + " speaks version " + std::to_string(header.version) +
         " of the wire format, this library speaks version " + std::to_string(wire::kVersion));
    return true;
  }
  if (adopting_) {
    keeper_number_ = hello->keeper;
  } else if (received.sender > 0 && received.sender != pid_) {
    pass_credentials(channel_.fd(), false);
    pid_ = received.sender;
    keeper_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U)));
  }
  greeted_ = true;
  handshake_.stop();
  return true;
}

bool Link::take_message(const wire::Header& header, Channel::Received& received) {
  if (header.version != wire::kVersion) return false;
  asked_ = false;
  return owner_.on_message(header, received);
}

void Link::lose(std::string reason) {
  if (lost_ || closing_) return;
  lost_ = true;
  if (!greeted_ && !adopting_) reason += kAdvice;
  if (greeted_ || !adopting_) {
    // The keeper may still be alive, but is unusable.
    (void)::syscall(SYS_pidfd_send_signal, keeper(), SIGKILL, nullptr, 0U);
    if (keeper_) reap_if_ours(keeper_.get());
    reap_if_ours(pidfd_.get());
  }
  owner_.on_lost(*this, std::move(reason));
}

// Each message continues a stopped keeper, but without messages the exit of a run would go
// unnoticed. A keeper that a run stops in a loop, and its warden as well, carries out nothing any
// more. To give it up costs all of its runs, and lets whatever waits for it have an answer.
void Link::keep_going() {
  if (looks_soon_ > 0) --looks_soon_;
  if (is_stopped(pid_)) {
    (void)::syscall(SYS_pidfd_send_signal, keeper(), SIGCONT, nullptr, 0U);
    suspicion_ += kWeight;
  } else if (suspicion_ > 0) {
    --suspicion_;
  }
  if (suspicion_ > kHopeless) {
    lose("the keeper " + path_ + " is stopped again and again, as only a run can do");
    return;
  }
  const bool held = tracer_of(pid_) == Tracer::kRun;
  if (greeted_ && expects_ && (asked_ || held || looks_soon_ == 1)) await_answer();
  if (lost_ || closing_) return;
  if (asked_) looks_soon_ = std::max(looks_soon_, 1);
  if (suspicion_ > 0) looks_soon_ = std::max(looks_soon_, 1);
  pulse_.start(looks_soon_ > 0 ? kStoppedPulse : kPulse);
}

// Any message is an answer; a question about no run always has one.
void Link::await_answer() {
  if (!asked_) {
    silent_looks_ = 0;
    wire::encode(buffer_, 0, wire::Usage{0});
    const int looks = looks_soon_;
    send();
    looks_soon_ = looks;
    asked_ = true;
  }
  const Tracer tracer = tracer_of(pid_);
  if (tracer != Tracer::kOther) silent_looks_ += tracer == Tracer::kRun ? kHeldWeight : 1;
  if (silent_looks_ > kSilentLooks) lose("the keeper " + path_ + " does not answer");
}

// The keeper has those of this process. Its own are not read: its first run may be there before its
// hello, and have lowered them.
void Link::note_limits() {
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    ::getrlimit(static_cast<__rlimit_resource>(i), &limits_[i]);
  }
  limits_[RLIMIT_NOFILE].rlim_cur = limits_[RLIMIT_NOFILE].rlim_max;  // as the keeper raises it
}

// A run can lower the limits of its keeper. Soft ones are raised again, hard ones only by root.
bool Link::restore_limits() {
  if (!greeted_ || adopting_) return true;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const auto resource = static_cast<__rlimit_resource>(i);
    if (std::find(kMarkResources.begin(), kMarkResources.end(), static_cast<int>(i)) !=
        kMarkResources.end()) {
      continue;
    }
    rlimit now{};
    if (::prlimit(pid_, resource, nullptr, &now) != 0) return true;  // it has ended
    const bool lowered = now.rlim_cur < limits_[i].rlim_cur || now.rlim_max < limits_[i].rlim_max;
    if (lowered && ::prlimit(pid_, resource, &limits_[i], nullptr) != 0) return false;
  }
  return true;
}

void Link::on_closed() {
  if (--open_polls_ == 0) free_self();
}

void Link::free_self() {
  OpenHandles& handles = handles_;
  delete this;
  handles.closed();
}

void Link::on_uv_socket(uv_poll_t* poll, int status, int events) noexcept {
  static_cast<Link*>(poll->data)->on_socket(status, events);
}

void Link::on_uv_process(uv_poll_t* poll, int, int) noexcept {
  static_cast<Link*>(poll->data)->on_process();
}

void Link::on_uv_closed(uv_handle_t* handle) noexcept {
  static_cast<Link*>(handle->data)->on_closed();
}

}  // namespace gibbous
