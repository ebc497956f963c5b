// Server, ends of runs: what is noted of each, for the records that a lost host makes necessary;
// and their output, once no host reads it.
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "runtime/keeper/server.h"
#include "runtime/process/proc.h"

namespace gibbous::keeper {
namespace {

// Looking at more would delay the end of a large tree.
constexpr std::size_t kMaxExamined = 1000;
constexpr std::size_t kDiscardBytes = std::size_t{64} << 10;

// Returns the bytes that are unread.
std::uint64_t waiting_in(const UniqueFd& pipe) {
  int waiting = 0;
  if (!pipe || ::ioctl(pipe.get(), FIONREAD, &waiting) != 0) return 0;
  return static_cast<std::uint64_t>(std::max(waiting, 0));
}

std::uint64_t dropped_bytes(const KeeperRun& run) {
  std::uint64_t bytes = run.dropped_bytes;
  for (const UniqueFd& output : run.outputs) bytes += waiting_in(output);
  return bytes;
}

ProcessIdentity identity_of(pid_t pid) {
  const auto stat = read_stat(pid);
  return stat ? ProcessIdentity{pid, stat->start_time} : ProcessIdentity{};
}

}  // namespace

std::int64_t wall_millis() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Millis>(now).count();
}

void Server::identify(pid_t host) {
  host_identity_ = identity_of(host);
  keeper_identity_ = identity_of(::getpid());
}

// Before SIGTERM goes to everything: a run whose processes all ignore it goes on as before.
void Server::note_undisturbed() {
  process_table_->rescan();
  std::size_t examined = 0;
  process_table_->for_each([&](KeeperRun& run) {
    if (!run.end_place || run.leader == 0) return;
    const std::vector<pid_t> alive = ProcessTable::alive(process_table_->members(run));
    examined += alive.size();
    const bool has_ended = std::find(alive.begin(), alive.end(), run.leader) == alive.end();
    const auto ignores = [](pid_t pid) { return ignores_signal(pid, SIGTERM); };
    run.undisturbed = has_ended || (!run.terminal && examined <= kMaxExamined &&
                                    std::all_of(alive.begin(), alive.end(), ignores));
  });
}

EndCause Server::cause_of_end(const KeeperRun& run) const {
  if (run.limit_hit) return EndCause::kLimit;
  if (run.job) return EndCause::kKill;
  const bool spared = run.keep && !lifecycle_.is(Phase::kEnding);
  if (!lifecycle_.ends_processes() || spared) return EndCause::kItself;
  return run.undisturbed && !ending_->is_killing() ? EndCause::kItself : EndCause::kHostEnd;
}

void Server::note_end(const KeeperRun& run, const ExitStatus& exit) {
  if (!run.end_place || run.forgotten) return;
  EndNote note;
  note.directory = run.end_place->directory;
  note.hangs_up = run.terminal;
  note.outlives = run.keep != nullptr;
  EndRecord& record = note.record;
  record.run_id = run.end_place->run_id;
  record.host = host_identity_;
  record.keeper = keeper_identity_;
  record.leader = {run.session, run.start_time};
  record.cause = cause_of_end(run);
  record.after_host = !end_notes_.has_host();
  record.exit = exit;
  if (record.cause == EndCause::kKill) record.kill_signal = run.job->signal_number;
  record.limit = run.limit_hit;
  record.started_at = run.started_at;
  record.ended_at = wall_millis();
  if (record.after_host) record.dropped_bytes = dropped_bytes(run);
  record.detached = run.keep != nullptr;
  end_notes_.add(std::move(note), std::chrono::steady_clock::now());
}

// The host reads no longer: the keeper does, so that nothing that ends waits for a reader.
void Server::watch_outputs() {
  process_table_->for_each([this](KeeperRun& run) {
    for (const UniqueFd& output : run.outputs) {
      if (!output) continue;
      epoll_event event{EPOLLIN, {.fd = output.get()}};
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, output.get(), &event);
    }
  });
}

void Server::discard_output(int fd) {
  process_table_->for_each([&](KeeperRun& run) {
    for (UniqueFd& output : run.outputs) {
      if (!output || output.get() != fd) continue;
      std::array<char, kDiscardBytes> buffer;
      const ssize_t got = ::read(fd, buffer.data(), buffer.size());
      run.dropped_bytes += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
      if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return;
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
      output.reset();
      return;
    }
  });
}

}  // namespace gibbous::keeper
