// Program: a program under test, connected by pipes.
#include "tests/support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tests/support/patient_fork.h"

extern char** environ;

namespace gibbous::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::pair<UniqueFd, UniqueFd> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& string : strings) all.push_back(string.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

bool wait_for(int fd, short events, steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  pollfd entry{fd, events, 0};
  return poll(&entry, 1, static_cast<int>(std::max(left, milliseconds{0}).count())) == 1;
}

}  // namespace

Program::Program(const ProgramSpec& spec) {
  auto [child_in, our_in] = make_pipe();
  auto [our_out, child_out] = make_pipe();
  stderr_.reset(memfd_create("stderr", MFD_CLOEXEC));
  if (!stderr_) fail("memfd_create");

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_in.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child_out.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, stderr_.get(), STDERR_FILENO);
  if (!spec.cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, spec.cwd.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  // Tests may run below nohup, or in the background of a shell.
  for (const int number : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> argv = spec.argv;
  std::vector<std::string> env = environment_with(spec.env);
  const int error = patiently([&] {
    return posix_spawn(&pid_, argv.at(0).c_str(), &actions, nullptr, pointers(argv).data(),
                       pointers(env).data());
  });
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    errno = error;
    fail("cannot start " + argv[0]);
  }
  pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_) fail("pidfd_open");
  stdin_ = std::move(our_in);
  stdout_ = std::move(our_out);
  // A program that stops reading fails the test instead of hanging it.
  fcntl(stdin_.get(), F_SETFL, O_NONBLOCK);
  ::signal(SIGPIPE, SIG_IGN);
}

Program::~Program() {
  if (status_ || pid_ <= 0) return;
  send_signal(SIGKILL);
  (void)wait();
}

void Program::write(const std::string& text, milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(stdin_.get(), text.data() + done, text.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EAGAIN || !wait_for(stdin_.get(), POLLOUT, deadline)) {
      fail("the program does not read");
    }
  }
}

void Program::send_signal(int number) const {
  syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

bool Program::fill(milliseconds limit) {
  if (!stdout_ || !wait_for(stdout_.get(), POLLIN, steady_clock::now() + limit)) return false;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadBytes);
  const ssize_t count = ::read(stdout_.get(), buffer_.data() + before, kReadBytes);
  buffer_.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
  return count > 0;
}

std::optional<std::string> Program::read_line(milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (!fill(std::chrono::ceil<milliseconds>(deadline - steady_clock::now()))) return std::nullopt;
  }
}

std::string Program::read_rest(milliseconds limit) {
  while (fill(limit)) {
  }
  return std::exchange(buffer_, {});
}

std::string Program::stderr_text() {
  std::string text;
  std::array<char, kReadBytes> piece{};
  for (;;) {
    const ssize_t count =
        pread(stderr_.get(), piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (count <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

std::optional<ExitStatus> Program::wait(milliseconds limit) {
  if (status_) return status_;
  if (!wait_for(pidfd_.get(), POLLIN, steady_clock::now() + limit)) return std::nullopt;
  int raw = 0;
  if (waitpid(pid_, &raw, 0) != pid_) fail("waitpid");
  status_.emplace();
  if (WIFEXITED(raw)) status_->code = WEXITSTATUS(raw);
  if (WIFSIGNALED(raw)) status_->signal = WTERMSIG(raw);
  return status_;
}

Outcome run_program(const ProgramSpec& spec, const std::string& input) {
  Program program(spec);
  program.write(input);
  program.close_stdin();
  Outcome outcome;
  outcome.out = program.read_rest();
  const std::optional<ExitStatus> status = program.wait();
  if (!status) throw std::runtime_error("the program does not end: " + spec.argv.at(0));
  outcome.status = *status;
  outcome.err = program.stderr_text();
  return outcome;
}

std::vector<pid_t> processes_with(const std::string& name, const std::string& value) {
  const std::string wanted = name + "=" + value;
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    const std::ifstream file(entry.path() / "environ", std::ios::binary);
    std::ostringstream read;
    read << file.rdbuf();  // nothing of a process that ends now
    const std::string text = read.str();
    for (std::size_t at = text.find(wanted); at != std::string::npos;
         at = text.find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      const bool whole =
          (at == 0 || text[at - 1] == '\0') && (end == text.size() || text[end] == '\0');
      if (!whole) continue;
      found.push_back(pid);
      break;
    }
  }
  return found;
}

}  // namespace gibbous::testing
