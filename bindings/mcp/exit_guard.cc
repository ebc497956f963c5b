// See exit_guard.h.
#include "bindings/mcp/exit_guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace gibbous::mcp {
namespace {

constexpr int kForever = -1;
constexpr int kExitCode = 0;  // the same as after an orderly end

// Waits until one of the entries is ready. False when the time is up first.
template <std::size_t N>
bool wait_for(std::array<pollfd, N>& entries, int timeout) {
  while (true) {
    const int count = ::poll(entries.data(), entries.size(), timeout);
    if (count >= 0 || errno != EINTR) return count > 0;
  }
}

void make_readable(const UniqueFd& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

// Files, directories, and what cannot be looked at. Asks no file system that does not answer.
bool is_of_disk(int fd) {
  struct statx info {};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &info) != 0) return true;
  return S_ISREG(info.stx_mode) || S_ISDIR(info.stx_mode);
}

// Lets go of all pipes, sockets and the like: their readers see their end. Their numbers
// stay taken, by `nothing`, because threads that still work would else use those of other things.
// Files stay open: a process that closes any descriptor of a file loses all its locks of that file,
// and a thread that commits to the journal at this moment would go on without them.
void let_go_of_streams(int nothing) {
  struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir("/proc/self/fd"));
  if (open == nullptr) return;
  while (const dirent* entry = ::readdir(open.get())) {
    char* end = nullptr;
    const long number = std::strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || *end != '\0') continue;
    const int fd = static_cast<int>(number);
    if (fd == nothing || is_of_disk(fd)) continue;
    if (::dup3(nothing, fd, O_CLOEXEC) < 0) ::close(fd);
  }
}

extern "C" void end_here(int) {
  ::_exit(kExitCode);
}

}  // namespace

ExitGuard::ExitGuard(int input_fd, int output_fd, int stop_fd, std::chrono::milliseconds limit)
    : nothing_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
      done_(::eventfd(0, EFD_CLOEXEC)),
      ends_with_input_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this, input_fd, output_fd, stop_fd, limit] {
        watch(input_fd, output_fd, stop_fd, limit);
      }) {}

ExitGuard::~ExitGuard() {
  make_readable(done_);
  thread_.join();
}

void ExitGuard::serving(bool is_batch) {
  if (!is_batch) make_readable(ends_with_input_);
}

void ExitGuard::waits_for_disk(const std::string& problem) {
  if (waits_for_disk_) return;
  problem_ = "gibbous: " + problem + "\n";
  waits_for_disk_ = true;
}

void ExitGuard::watch(int input_fd, int output_fd, int stop_fd,
                      std::chrono::milliseconds limit) const {
  const pollfd done{done_.get(), POLLIN, 0};
  std::array<pollfd, 3> entries{{done, {input_fd, POLLRDHUP, 0}, {stop_fd, POLLIN, 0}}};
  if (!wait_for(entries, kForever) || entries[0].revents != 0) return;
  if (entries[2].revents == 0) {
    // The input has ended. Errors and the end of a reader are told whatever is asked for.
    std::array<pollfd, 4> ends{
        {done, entries[2], {ends_with_input_.get(), POLLIN, 0}, {output_fd, 0, 0}}};
    if (!wait_for(ends, kForever) || ends[0].revents != 0) return;
  }
  std::array<pollfd, 1> orderly{done};
  if (wait_for(orderly, static_cast<int>(limit.count()))) return;
  constexpr std::string_view kLast =
      "gibbous: a script or a disk took too long at the end; the last of the journal and of logs "
      "may be missing\n";
  const std::string_view last = waits_for_disk_ ? std::string_view(problem_) : kLast;
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, last.data(), last.size());
  // A loop that still turns finds its descriptors gone, and aborts.
  (void)std::signal(SIGABRT, end_here);
  // Where a disk holds a thread, the process stays until it answers, and so would all that is open:
  // the client waits for the end of the output, which the transport has opened anew.
  let_go_of_streams(nothing_.get());
  ::_exit(kExitCode);
}

}  // namespace gibbous::mcp
