// Runs lines with a real shell and says which marks they made: a library that is loaded into bash
// or dash (LD_PRELOAD) in bubblewrap, by confinement.cc. It keeps the shell in front of its main()
// and forks it for each line (to start CONFINED_PROGRAM as sh, if that is set), as starting a shell
// is most of the work; and where `mark ID` would be executed it only notes the ID. It does nothing
// without CONFINED_SHELL in the environment.
//
// A line on stdin: its size (4 bytes), its bytes. An answer on stdout: 1 byte (1: it was ended),
// the number of marks (4 bytes), each as size and bytes.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "tests/support/patient_fork.h"

namespace {

constexpr const char* kMarks = "/tmp/marks";  // in a private /tmp
constexpr std::uint32_t kMaxSize = 1U << 20;
constexpr std::uint32_t kMaxMark = 256;
constexpr long kMostMilliseconds = 2000;
constexpr rlim_t kCpuSeconds = 1;
constexpr rlim_t kFileBytes = 1 << 20;
constexpr rlim_t kOpenFiles = 64;
constexpr const char* kTools[] = {"env",   "xargs", "find", "cat",   "echo",   "sh",
                                  "bash",  "dash",  "true", "false", "printf", "timeout",
                                  "nohup", "nice",  "tee",  "head",  "test"};

void mark(const char* id) {
  const int file = ::open(kMarks, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) ::_exit(1);
  std::string record(id);
  if (record.size() > kMaxMark) record.resize(kMaxMark);
  const auto size = static_cast<std::uint32_t>(record.size());
  record.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  ::_exit(::write(file, record.data(), record.size()) > 0 ? 0 : 1);
}

bool read_all(void* into, std::size_t size) {
  auto* at = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = ::read(STDIN_FILENO, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += static_cast<std::size_t>(put);
  }
  return true;
}

// What is in `path`, and below.
void empty(const std::string& path) {
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string whole = path + "/" + name;
    if (::unlink(whole.c_str()) == 0) continue;
    empty(whole);
    ::rmdir(whole.c_str());
  }
  ::closedir(directory);
}

long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// Ends all children, and their children, which come to this subreaper.
void end_children() {
  const std::string list = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  while (true) {
    FILE* file = std::fopen(list.c_str(), "re");
    int child = 0;
    while (file != nullptr && std::fscanf(file, "%d", &child) == 1) ::kill(child, SIGKILL);
    if (file != nullptr) std::fclose(file);
    if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
  }
}

void limit(int what, rlim_t most) {
  const rlimit both{most, most};
  (void)::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

// In the child: what is left is the shell's own main().
void start(char** argv, const std::string& line) {
  ::setpgid(0, 0);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
  if (null > STDERR_FILENO) ::close(null);
  limit(RLIMIT_CPU, kCpuSeconds);
  limit(RLIMIT_FSIZE, kFileBytes);
  limit(RLIMIT_NOFILE, kOpenFiles);
  limit(RLIMIT_CORE, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::unsetenv("CONFINED_SHELL");
  argv[2] = ::strdup(line.c_str());
  const char* program = std::getenv("CONFINED_PROGRAM");
  if (program == nullptr) return;
  const std::string path = program;
  ::unsetenv("CONFINED_PROGRAM");
  char name[] = "sh";
  char option[] = "-c";
  char* words[] = {name, option, argv[2], nullptr};
  ::execv(path.c_str(), words);
  ::_exit(127);
}

// True when it had to be ended.
bool wait_for_all() {
  const long until = now_ms() + kMostMilliseconds;
  sigset_t chld;
  ::sigemptyset(&chld);
  ::sigaddset(&chld, SIGCHLD);
  while (true) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return false;  // no process is left
    if (ended > 0) continue;
    const long left = until - now_ms();
    if (left <= 0) break;
    const timespec wait{left / 1000, (left % 1000) * 1'000'000};
    ::sigtimedwait(&chld, nullptr, &wait);
  }
  end_children();
  return true;
}

std::string marks(std::uint32_t* count) {
  std::string all;
  const int file = ::open(kMarks, O_RDWR | O_CLOEXEC);
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(file, buffer, sizeof buffer)) > 0)
    all.append(buffer, static_cast<std::size_t>(got));
  if (::ftruncate(file, 0) != 0) all.clear();
  ::close(file);
  *count = 0;
  std::size_t at = 0;
  while (at + sizeof(std::uint32_t) <= all.size()) {
    std::uint32_t size = 0;
    std::memcpy(&size, all.data() + at, sizeof size);
    at += sizeof size + size;
    ++*count;
  }
  return all;
}

bool prepare() {
  ::mkdir("/tmp/bin", 0755);
  ::mkdir("/tmp/work", 0755);
  const int file = ::open(kMarks, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (file < 0) return false;
  ::close(file);
  for (const char* tool : kTools) {
    const std::string target = std::string("/usr/bin/") + tool;
    if (::symlink(target.c_str(), (std::string("/tmp/bin/") + tool).c_str()) != 0) return false;
  }
  return ::symlink("/tmp/mark", "/tmp/bin/mark") == 0;
}

// Returns in the children only.
void serve(char** argv) {
  if (::getppid() != 1 || !prepare()) {
    std::fprintf(stderr, "confined_shell: only in a private pid and mount namespace\n");
    ::_exit(2);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  sigset_t chld;
  ::sigemptyset(&chld);
  ::sigaddset(&chld, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &chld, nullptr);
  std::uint32_t size = 0;
  while (read_all(&size, sizeof size) && size <= kMaxSize) {
    std::string line(size, '\0');
    if (!read_all(line.data(), size)) ::_exit(2);
    empty("/tmp/work");
    if (::chdir("/tmp/work") != 0) ::_exit(2);
    const pid_t child = gibbous::testing::patient_fork();
    if (child < 0) ::_exit(2);
    if (child == 0) {
      start(argv, line);
      return;
    }
    const char ended = wait_for_all() ? 1 : 0;
    std::uint32_t count = 0;
    const std::string made = marks(&count);
    std::string answer(1, ended);
    answer.append(reinterpret_cast<const char*>(&count), sizeof count);
    if (!write_all(answer + made)) ::_exit(2);
  }
  ::_exit(0);
}

bool is_mark(const char* path) {
  return std::strcmp(path, "/tmp/bin/mark") == 0;
}

__attribute__((constructor)) void loaded(int argc, char** argv, char** /*environment*/) {
  if (std::getenv("CONFINED_SHELL") != nullptr && argc == 3) serve(argv);
}

}  // namespace

extern "C" int execve(const char* path, char* const* argv, char* const* environment) noexcept {
  if (is_mark(path)) mark(argv[0] != nullptr && argv[1] != nullptr ? argv[1] : "");
  const auto next = reinterpret_cast<int (*)(const char*, char* const*, char* const*)>(
      ::dlsym(RTLD_NEXT, "execve"));
  return next(path, argv, environment);
}

extern "C" int execvp(const char* file, char* const* argv) noexcept {
  const char* path = std::getenv("PATH");
  const bool found =
      std::strcmp(file, "mark") == 0 && path != nullptr && std::strcmp(path, "/tmp/bin") == 0;
  if (found || is_mark(file)) mark(argv[0] != nullptr && argv[1] != nullptr ? argv[1] : "");
  const auto next =
      reinterpret_cast<int (*)(const char*, char* const*)>(::dlsym(RTLD_NEXT, "execvp"));
  return next(file, argv);
}
