#include "tests/runtime/command/differential/confinement.h"
#include "tests/support/patient_fork.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>

namespace gibbous::command::testing {

Confinement::Confinement(const std::string& directory, const std::string& shell) {
  int to[2];
  int from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) return;
  const std::string library = directory + "/confined_shell.so";
  const std::string mark = directory + "/fixture_mark";
  // A shell that takes another name, or is linked statically, is started for each line.
  const bool executed = shell == "posix" || shell == "busybox";
  const std::string program = "/usr/bin/" + (executed ? "dash" : shell);
  const std::string started = shell == "posix" ? "/usr/bin/bash" : "/usr/bin/busybox";
  if (executed && ::access(started.c_str(), X_OK) != 0) return;
  std::vector<const char*> argv = {"bwrap", "--unshare-all", "--die-with-parent", "--new-session",
                                   "--clearenv"};
  const auto add = [&argv](std::initializer_list<const char*> words) {
    argv.insert(argv.end(), words);
  };
  add({"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"});
  add({"--ro-bind", library.c_str(), "/tmp/confined_shell.so"});
  add({"--ro-bind", mark.c_str(), "/tmp/mark"});
  add({"--setenv", "LD_PRELOAD", "/tmp/confined_shell.so", "--setenv", "CONFINED_SHELL", "1"});
  add({"--setenv", "PATH", "/tmp/bin", "--setenv", "HOME", "/tmp/work", "--setenv", "FUNCNEST",
       "16", "--setenv", "LC_ALL", "C.UTF-8"});
  if (executed) add({"--setenv", "CONFINED_PROGRAM", started.c_str()});
  add({"--", program.c_str(), "-c", "x", nullptr});
  child_ = gibbous::testing::patient_fork();
  if (child_ == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::execvp("bwrap", const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  to_ = to[1];
  from_ = from[0];
  ::signal(SIGPIPE, SIG_IGN);
  if (child_ < 0) return;
  send("mark here");
  Ran ran;
  ok_ = receive(&ran) && ran.marks == std::vector<std::string>{"here"};
}

Confinement::~Confinement() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
}

void Confinement::send(const std::string& line) {
  std::string record;
  const auto size = static_cast<std::uint32_t>(line.size());
  record.append(reinterpret_cast<const char*>(&size), sizeof size);
  record += line;
  std::size_t at = 0;
  while (at < record.size()) {
    const ssize_t put = ::write(to_, record.data() + at, record.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    at += static_cast<std::size_t>(put);
  }
}

bool Confinement::read_all(void* into, std::size_t size) {
  auto* at = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = ::read(from_, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool Confinement::receive(Ran* ran) {
  char ended = 0;
  std::uint32_t count = 0;
  if (!read_all(&ended, 1) || !read_all(&count, sizeof count)) return false;
  ran->ended = ended != 0;
  ran->marks.clear();
  for (std::uint32_t at = 0; at < count; ++at) {
    std::uint32_t size = 0;
    if (!read_all(&size, sizeof size)) return false;
    std::string mark(size, '\0');
    if (!read_all(mark.data(), size)) return false;
    ran->marks.push_back(std::move(mark));
  }
  return true;
}

}  // namespace gibbous::command::testing
