// The manager queues the request, and moves the processes after it has answered.
#include "runtime/process/user_scope.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "runtime/base/mounts.h"
#include "runtime/base/random_id.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/cgroup_places.h"
#include "runtime/process/launch.h"
#include "runtime/process/mark.h"

namespace gibbous {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Deadline = steady_clock::time_point;

constexpr const char* kTool = "busctl";
constexpr const char* kNoLimit = "18446744073709551615";  // of TasksMax: the session has none
constexpr milliseconds kFirstLook{1};
constexpr milliseconds kLongestLook{50};
constexpr int kLooksForOthers = 10;
constexpr int kRounds = 10;  // processes in the scope may fork while they are moved

Status missing(const std::string& what) {
  return Status::error("no_user_scope", what);
}

std::string groups_of(pid_t pid) {
  return read_small_file(("/proc/" + std::to_string(pid) + "/cgroup").c_str());
}

bool write_text(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// A group that a Gibbous has made: of a keeper, its runs, or its scope.
bool is_gibbous_group(std::string_view name) {
  if (name == kKeeperLeaf) return true;
  constexpr std::string_view kPrefix = "gibbous-";
  constexpr std::string_view kScope = ".scope";
  constexpr std::size_t kDigits = 8;
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  if (name.ends_with(kScope)) name.remove_suffix(kScope.size());
  return name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The user's own manager is a service of the system's, too.
bool is_service(std::string_view name) {
  return name.ends_with(".service") && !name.starts_with("user@");
}

template <typename Test>
bool any_group(std::string_view groups, Test test) {
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream names(line.substr(std::min(line.find('/'), line.size())));
    for (std::string name; std::getline(names, name, '/');) {
      if (test(name)) return true;
    }
  }
  return false;
}

std::string runtime_directory() {
  const char* named = std::getenv("XDG_RUNTIME_DIR");
  if (named != nullptr && *named == '/') return named;
  return "/run/user/" + std::to_string(::geteuid());  // where logins have it
}

bool is_socket(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

// Returns who listens there: its pid in the namespace of this process, 0 where it has none in it,
// and -1 when no process listens.
ucred listener_of(const std::string& path) {
  ucred peer{-1, 0, 0};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || path.size() >= sizeof address.sun_path) return peer;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return peer;
  }
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) peer.pid = -1;
  return peer;
}

// In a namespace within ours a process has more than one pid.
bool is_in_our_pid_namespace(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream pids(line.substr(line.find(':') + 1));
    std::string one;
    std::string another;
    return (pids >> one) && !(pids >> another);
  }
  return false;
}

// What asks the manager: the tool, and the environment that leads it there.
struct Asker {
  std::string program;
  std::vector<std::string> environment;
};

// The manager takes the pids for its own namespace's: elsewhere they would be other processes.
Result<Asker> find_asker() {
  const std::string directory = runtime_directory();
  const std::string manager = directory + "/systemd/private";
  const std::string bus = directory + "/bus";
  const char* named_bus = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  const bool has_bus = is_socket(bus);
  if (!is_socket(manager) && !has_bus) {
    return missing("there is no systemd manager of this user (" + manager + ")");
  }
  const ucred peer = listener_of(is_socket(manager) ? manager : bus);
  if (peer.pid < 0) return missing("the user's systemd manager does not answer (" + manager + ")");
  if (peer.uid != ::geteuid()) return missing(manager + " is another user's");
  if (peer.pid == 0 || !is_in_our_pid_namespace(peer.pid)) {
    return missing("the user's systemd manager is in another namespace of processes");
  }
  if (!has_bus && (named_bus == nullptr || *named_bus == '\0')) {
    return missing("the user's systemd manager has no bus (" + bus +
                   "); Debian has it in the package dbus-user-session");
  }
  Asker asker;
  const char* path = std::getenv("PATH");
  const std::string search = std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path);
  asker.environment = {search, "XDG_RUNTIME_DIR=" + directory,
                       "DBUS_SESSION_BUS_ADDRESS=" + (has_bus ? "unix:path=" + bus : named_bus),
                       "LC_ALL=C"};
  const std::array<const char*, 1> variables{search.c_str()};
  const ExecCandidates candidates(kTool, variables);
  const auto found =
      std::find_if(candidates.paths().begin(), candidates.paths().end(),
                   [](const char* each) { return *each == '/' && ::access(each, X_OK) == 0; });
  if (found == candidates.paths().end()) {
    return missing(std::string(kTool) + ", which asks the user's systemd manager, is not in PATH");
  }
  asker.program = *found;
  return asker;
}

std::vector<std::string> request(std::uint32_t keeper_number, std::span<const pid_t> processes) {
  std::vector<std::string> words = {kTool,
                                    "--user",
                                    "--no-pager",
                                    "--timeout=" + std::to_string(kUserScopePatience.count()),
                                    "call",
                                    "org.freedesktop.systemd1",
                                    "/org/freedesktop/systemd1",
                                    "org.freedesktop.systemd1.Manager",
                                    "StartTransientUnit",
                                    "ssa(sv)a(sa(sv))",
                                    user_scope_name(keeper_number),
                                    "fail",
                                    "5",
                                    "Description",
                                    "s",
                                    "Runs of Gibbous, keeper " + std::to_string(processes.front()),
                                    "PIDs",
                                    "au",
                                    std::to_string(processes.size())};
  for (const pid_t pid : processes) words.push_back(std::to_string(pid));
  const std::vector<std::string> rest = {
      "Delegate", "b",           "true", "TasksMax",           "t",
      kNoLimit,   "CollectMode", "s",    "inactive-or-failed", "0"};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A child of this thread that ends with it: executes a program, or does nothing. Of a process with
// threads, so that only what is safe after a fork happens in it.
class Child {
 public:
  Child(const char* program, char* const* words, char* const* environment) {
    constexpr int kLowest = 3;
    const UniqueFd opened(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const UniqueFd null(opened ? ::fcntl(opened.get(), F_DUPFD_CLOEXEC, kLowest) : -1);
    const pid_t parent = ::getpid();
    pid_ = null ? ::fork() : -1;
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != parent) ::_exit(1);
    for (int target = 0; target < kLowest; ++target) ::dup2(null.get(), target);
    constexpr long kAllFds = 0x7fffffff;
    ::syscall(SYS_close_range, kLowest, kAllFds, 0);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    while (program == nullptr) ::pause();
    if (::chdir("/") == 0) ::execve(program, words, environment);
    ::_exit(127);
  }
  Child() : Child(nullptr, nullptr, nullptr) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool started() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // Returns its status; nothing while it runs.
  std::optional<int> ended() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

// Waits until the processes are in the scope. The tool's answer only says that they may soon be.
// For the others it waits less: one may have ended.
Status wait_for_scope(std::span<const pid_t> processes, const std::string& scope, Child& tool,
                      Deadline until) {
  const auto has_arrived = [&](pid_t pid) {
    return version2_group(groups_of(pid)).ends_with("/" + scope);
  };
  milliseconds pause = kFirstLook;
  int looks = 0;  // since the first has arrived
  while (!std::all_of(processes.begin(), processes.end(), has_arrived)) {
    if (has_arrived(processes.front()) && ++looks > kLooksForOthers) return {};
    const auto status = tool.ended();
    if (status && (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)) {
      return missing("the user's systemd manager refused a scope (StartTransientUnit)");
    }
    if (steady_clock::now() >= until) {
      return missing("the user's systemd manager made no scope within " +
                     std::to_string(kUserScopePatience.count()) + " s");
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestLook);
  }
  return {};
}

// Everything in the scope goes into the group below it, also what has been forked meanwhile.
Status settle(pid_t pid) {
  const std::string scope =
      version2_directory(read_small_file("/proc/self/mountinfo"), version2_group(groups_of(pid)));
  const std::string leaf = scope + "/" + kKeeperLeaf;
  if (scope.empty() || (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) ||
      !write_text(leaf + "/cgroup.procs", std::to_string(pid))) {
    return missing("the scope that the user's systemd manager made cannot be used: " +
                   std::string(std::strerror(errno)));
  }
  for (int round = 0; round < kRounds; ++round) {
    std::istringstream pids(read_small_file((scope + "/cgroup.procs").c_str()));
    bool found = false;
    for (std::string other; pids >> other; found = true) {
      (void)write_text(leaf + "/cgroup.procs", other);
    }
    if (!found) break;
  }
  std::istringstream controllers(read_small_file((scope + "/cgroup.controllers").c_str()));
  for (std::string name; controllers >> name;) {
    if (name != "memory" && name != "pids" && name != "cpu") continue;
    (void)write_text(scope + "/cgroup.subtree_control", "+" + name);
  }
  return {};
}

}  // namespace

std::string user_scope_name(std::uint32_t keeper_number) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "gibbous-%08x.scope", keeper_number);
  return name.data();
}

Status may_leave_groups(std::string_view own_groups) {
  if (are_cgroups_off()) return missing("GIBBOUS_CGROUPS=off");
  const auto marks = read_marks(::getpid());
  const char* run = std::getenv(kRunVariable);
  if ((marks && marks->outer) || (run != nullptr && *run != '\0') ||
      any_group(own_groups, is_gibbous_group)) {
    return missing("this is a run of another Gibbous, whose control group it must not leave");
  }
  if (any_group(version2_group(own_groups), is_service)) {
    return missing(
        "this is in a service, whose control group it must not leave; set Delegate=yes "
        "there");
  }
  return {};
}

Status may_leave_groups() {
  return may_leave_groups(read_small_file("/proc/self/cgroup"));
}

Status make_user_scope(std::uint32_t keeper_number, std::span<const pid_t> processes) {
  const Deadline until = steady_clock::now() + kUserScopePatience;
  if (const Status may = may_leave_groups(); !may) return may;
  const std::string own = version2_group(read_small_file("/proc/self/cgroup"));
  if (version2_directory(read_small_file("/proc/self/mountinfo"), own).empty()) {
    return missing("control groups of version 2 are not mounted");
  }
  const auto asker = find_asker();
  if (!asker) return asker.status();
  std::vector<std::string> words = request(keeper_number, processes);
  std::vector<std::string> environment = asker->environment;
  Child tool(asker->program.c_str(), pointers_to(words).data(), pointers_to(environment).data());
  if (!tool.started()) return missing(std::string("no process: ") + std::strerror(errno));
  const std::string scope = user_scope_name(keeper_number);
  if (const Status arrived = wait_for_scope(processes, scope, tool, until); !arrived) {
    return arrived;
  }
  return settle(processes.front());
}

Result<CgroupPlaces> try_user_scope() {
  const Child child;
  if (!child.started()) return missing(std::string("no process: ") + std::strerror(errno));
  const std::array processes{child.pid()};
  const auto number = static_cast<std::uint32_t>(random_bits());
  if (const Status made = make_user_scope(number, processes); !made) return made;
  return find_cgroup_places(read_small_file("/proc/self/mountinfo"), groups_of(child.pid()));
}

}  // namespace gibbous
