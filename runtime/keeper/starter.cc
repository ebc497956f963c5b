// The keeper makes the pipes and sends the library its ends, so a start costs the library one
// message.
#include "runtime/keeper/starter.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/base/mounts.h"
#include "runtime/base/quiet_thread.h"
#include "runtime/keeper/holdable.h"
#include "runtime/keeper/session_sockets.h"
#include "runtime/paths/question.h"
#include "runtime/paths/walk.h"
#include "runtime/process/terminal.h"
#include "runtime/sandbox/copies.h"
#include "runtime/sandbox/socket_directory.h"
#include "runtime/sandbox/temporary_plan.h"

namespace gibbous::keeper {
namespace {

enum Stdio : std::size_t { kIn, kOut, kErr, kStdioCount };

std::string describe(const SandboxFailure& failure) {
  std::string text = std::string("sandbox: ") + to_string(failure.step);
  if (failure.path != nullptr) text += std::string(" ") + failure.path;
  return text + ": " + std::strerror(failure.error);
}

StartOutcome failed(StartStep step, int error, std::string detail = "") {
  StartOutcome outcome;
  outcome.failure = StartFailure{step, error, std::move(detail)};
  return outcome;
}

// The library's memfd, read-only. It is sealed, so it can neither change nor shrink under the
// mapping.
class MappedStrings {
 public:
  MappedStrings(const UniqueFd& fd, std::uint64_t size) : size_(size) {
    constexpr int kNeededSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    struct stat file {};
    const int seals = fd ? ::fcntl(fd.get(), F_GET_SEALS) : -1;
    if (seals < 0 || (seals & kNeededSeals) != kNeededSeals || ::fstat(fd.get(), &file) != 0 ||
        file.st_size < 0 || static_cast<std::uint64_t>(file.st_size) != size || size == 0) {
      return;
    }
    memory_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  }
  ~MappedStrings() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, size_);
  }
  MappedStrings(const MappedStrings&) = delete;
  MappedStrings& operator=(const MappedStrings&) = delete;

  bool ok() const { return memory_ != MAP_FAILED; }
  wire::Bytes bytes() const { return {static_cast<const std::uint8_t*>(memory_), size_}; }

 private:
  void* memory_ = MAP_FAILED;
  std::size_t size_;
};

// Only the library's end is non-blocking: the flag belongs to an end, not to the pipe.
bool make_pipe(bool library_reads, UniqueFd& library, UniqueFd& child) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  library.reset(ends[library_reads ? 0 : 1]);
  child.reset(ends[library_reads ? 1 : 0]);
  return ::fcntl(library.get(), F_SETFL, O_NONBLOCK) == 0;
}

// The child's stdin, stdout and stderr, and the library's ends of them. A terminal's master is the
// library's stdout.
struct Ends {
  std::array<UniqueFd, kStdioCount> library;
  std::array<UniqueFd, kStdioCount> child;
};

std::optional<StartStep> make_terminal(const TerminalSize& size, Ends& ends, LaunchPlan& plan) {
  TerminalEnds terminal = open_terminal(size);
  if (!terminal.master) return StartStep::kTerminal;
  ends.library[kOut] = std::move(terminal.master);
  ends.child[kOut] = std::move(terminal.slave);
  plan.stdio.fill(ends.child[kOut].get());
  plan.terminal = true;
  return std::nullopt;
}

// Returns the step that failed; errno says why.
std::optional<StartStep> make_ends(const wire::Start& start, Ends& ends, LaunchPlan& plan) {
  if (start.terminal) return make_terminal(*start.terminal, ends, plan);
  const std::array kinds{start.in, start.out, start.err};
  for (std::size_t i = 0; i < kStdioCount; ++i) {
    if (kinds[i] == StdioKind::kPipe) {
      if (!make_pipe(i != kIn, ends.library[i], ends.child[i])) return StartStep::kPipe;
      plan.stdio[i] = ends.child[i].get();
    } else if (kinds[i] == StdioKind::kStdout) {
      plan.stdio[i] = plan.stdio[kOut];
    }
  }
  return std::nullopt;
}

// Calls `use` with the strings of the start, or returns `otherwise` when they are invalid.
template <typename Result, typename Use>
Result with_strings(const wire::Start& start, const UniqueFd& strings_fd, Result otherwise,
                    Use use) {
  if (start.inline_strings) {
    const auto strings = wire::split_strings(start, start.strings);
    return strings ? use(*strings) : std::move(otherwise);
  }
  const MappedStrings mapped(strings_fd, start.strings_bytes);
  if (!mapped.ok()) return otherwise;
  const auto strings = wire::split_strings(start, mapped.bytes());
  return strings ? use(*strings) : std::move(otherwise);
}

// Reads what execve(2) looks at; `path` is on a local file system.
std::string beginning_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  constexpr std::size_t kLineBytes = 256;  // BINPRM_BUF_SIZE
  std::string text(kLineBytes, '\0');
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

// Where the keeper looks how many processes a run has, the kernel stops it at that many more than
// the user has now: more than it may have, and fewer than fill the machine. The count of all users'
// threads, which one read tells, is no less than that of this one's.
rlimit most_processes(std::uint32_t of_run) {
  constexpr rlim_t kSpare = 4096;
  rlimit limit{};
  ::getrlimit(RLIMIT_NPROC, &limit);
  const std::string load = read_small_file("/proc/loadavg");  // "0.1 0.1 0.1 RUNNING/ALL LAST\n"
  const std::size_t all = load.find('/');
  if (all == std::string::npos) return limit;
  const rlim_t most = std::strtoul(load.c_str() + all + 1, nullptr, 10) + kSpare + of_run;
  return {std::min(limit.rlim_cur, most), std::min(limit.rlim_max, most)};
}

constexpr const char* kSeveralNetworks =
    "another process of Gibbous has runs of this session in a network of its own: what listens "
    "there cannot be reached at 127.0.0.1 from this run, nor what listens here from those";

std::string_view variable_of(const std::vector<char*>& env, const std::string& name) {
  const std::string prefix = name + "=";
  for (const char* variable : env) {
    if (variable != nullptr && std::strncmp(variable, prefix.c_str(), prefix.size()) == 0) {
      return variable + prefix.size();
    }
  }
  return {};
}

}  // namespace

StartOutcome Starter::start(const wire::Start& start, const UniqueFd& strings_fd, Mark mark,
                            const RunGroup* group, bool apart) {
  return with_strings(start, strings_fd, failed(StartStep::kRequest, EBADMSG),
                      [&](const wire::StartStrings& strings) {
                        return launch(start, strings, mark, group, apart);
                      });
}

// Where the program may be, tried in order.
static std::vector<std::string> files_of(const wire::StartStrings& strings,
                                         const std::string& directory) {
  const ExecCandidates candidates(strings.argv.front(),
                                  std::span(strings.env.data(), strings.env.size() - 1));
  std::vector<std::string> files;
  for (const char* candidate : candidates.paths()) {
    files.push_back(*candidate == '/' ? candidate : directory + "/" + candidate);
  }
  return files;
}

bool Starter::is_doubtful(const wire::Start& start, const UniqueFd& strings_fd) {
  if (mounts_->now()->all_local()) return false;
  return with_strings(start, strings_fd, false,
                      [&](const wire::StartStrings& strings) { return is_doubtful(strings); });
}

bool Starter::is_doubtful(const wire::StartStrings& strings) {
  if (strings.sandbox && !strings.sandbox->names_only) return true;
  const auto mounts = mounts_->now();
  const auto answers = [&](const std::string& path, paths::Walked* walked) {
    *walked = paths::walk(path, mounts.get());
    return walked->reached == paths::Reached::kMissing ||
           (walked->reached == paths::Reached::kFound && mounts->is_local(walked->mount));
  };
  paths::Walked walked;
  const std::string directory = strings.cwd == nullptr ? "/" : strings.cwd;
  if (!answers(directory, &walked)) return true;
  for (const std::string& file : files_of(strings, directory)) {
    if (!answers(file, &walked)) return true;
    if (walked.reached != paths::Reached::kFound) continue;
    // A local script may have an interpreter elsewhere.
    const std::string interpreter = paths::interpreter_of(beginning_of(file));
    return !interpreter.empty() && (interpreter[0] != '/' || !answers(interpreter, &walked));
  }
  return false;
}

pid_t Starter::launch_trial(wire::Bytes body, const UniqueFd& strings_fd) {
  if (!support_) support_ = probe_sandbox_support();
  const UniqueFd memory(::memfd_create("gibbous-trial", MFD_CLOEXEC));
  const std::array<iovec, 2> parts{
      {{&*support_, sizeof *support_}, {const_cast<std::uint8_t*>(body.data()), body.size()}}};
  const auto size = static_cast<ssize_t>(sizeof *support_ + body.size());
  if (!memory || ::pwritev(memory.get(), parts.data(), parts.size(), 0) != size) return 0;
  return launch_own_program({kTryStartArgument}, {memory.get(), strings_fd.get(), -1});
}

int try_start() {
  static_assert(std::is_trivially_copyable_v<SandboxSupport>);
  SandboxSupport support;
  struct stat file {};
  if (::fstat(0, &file) != 0 || file.st_size < static_cast<off_t>(sizeof support)) return 1;
  wire::Buffer body(static_cast<std::size_t>(file.st_size) - sizeof support);
  const std::array<iovec, 2> parts{{{&support, sizeof support}, {body.data(), body.size()}}};
  if (::preadv(0, parts.data(), parts.size(), 0) != file.st_size) return 1;
  const auto start = wire::decode_start(body);
  const UniqueFd strings_fd(1);
  return !start ? 1 : with_strings(*start, strings_fd, 1, [&](const wire::StartStrings& strings) {
    paths::Question enter;
    enter.ask = paths::Ask::kEnter;
    enter.path = strings.cwd == nullptr ? "/" : strings.cwd;
    enter.files = files_of(strings, enter.path);
    (void)paths::answer(enter);
    if (!strings.sandbox || strings.sandbox->names_only) return 0;
    SandboxSpec tried = *strings.sandbox;
    tried.occupied.clear();  // it changes nothing
    tried.claimed.clear();
    tried.temporary_group.clear();
    for (const std::string& path : tried.shown) {
      struct stat info {};
      (void)::stat(path.c_str(), &info);
    }
    (void)PreparedSandbox::prepare(tried, support);
    return 0;
  });
}

// Holds the names of a profile that an executor applies. Returns the one that it could not hold, or
// nothing.
static std::optional<std::string> hold_names(const SandboxSpec& spec,
                                             std::vector<Placeholder>& held) {
  for (const std::string& name : spec.occupied) {
    if (Placeholder placeholder = Placeholder::hold(name)) {
      held.push_back(std::move(placeholder));
      continue;
    }
    const std::string path = name.substr(0, name.find_last_not_of('/') + 1);
    struct stat info {};
    const bool absent = ::lstat(path.c_str(), &info) != 0 && errno == ENOENT;
    const std::string around = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
    // Where this user can make nothing, the executor has made all of it read-only.
    if (absent && ::access(around.c_str(), W_OK) == 0) return path;
  }
  return std::nullopt;
}

// Once, beside the first run that has such directories: what sessions have left may be much.
void Starter::remove_old_temporary_beside() {
  if (std::exchange(has_removed_, true)) return;
  static constexpr std::chrono::hours kKept{24 * 7};
  (void)start_quiet_thread([] { remove_old_temporary(kKept); });
}

void Starter::measure_layers(const std::string& group) {
  (void)start_quiet_thread([group] {
    remove_moved_layers(group);
    note_layer_bytes(group);
  });
}

void Starter::measure_copies(const std::string& directory) {
  (void)start_quiet_thread([directory] { note_copy_bytes(directory); });
}

StartOutcome Starter::launch(const wire::Start& start, const wire::StartStrings& strings, Mark mark,
                             const RunGroup* group, bool apart) {
  Ends ends;
  LaunchPlan plan;
  if (const auto step = make_ends(start, ends, plan)) return failed(*step, errno);
  auto& [library, child] = ends;
  std::vector<LaunchLimit> limits;
  for (const int resource : kMarkResources) {
    const MarkMode mode = mark_mode(resource);
    if (mode != MarkMode::kNone) limits.push_back({resource, mark_limit(mark, mode, resource)});
  }
  limits.push_back({RLIMIT_NOFILE, files_});
  if (start.tree_limits.pids != 0 &&
      !(group != nullptr && group->in_force().pids != LimitMeans::kNone)) {
    limits.push_back({RLIMIT_NPROC, most_processes(start.tree_limits.pids)});
  }
  for (const ResourceLimit& limit : start.limits) {
    // The mark uses these limits, and refusing them is better than losing it.
    const bool holds_mark = std::find(kMarkResources.begin(), kMarkResources.end(),
                                      limit.resource) != kMarkResources.end();
    if (holds_mark) return failed(StartStep::kLimits, EINVAL);
    limits.push_back({limit.resource, {limit.soft, limit.hard}});
  }
  const ExecCandidates candidates(strings.argv.front(),
                                  std::span(strings.env.data(), strings.env.size() - 1));
  plan.candidates = candidates.paths();
  plan.argv = strings.argv.data();
  plan.environment = strings.env.data();
  plan.directory = strings.cwd;
  plan.limits = limits;
  if (group != nullptr) {
    plan.groups = group->entries();
    plan.birthplace = group->birthplace();
    plan.needs_birthplace = group->needs_birthplace();
  }
  plan.apart = apart;
  if (start.keep) {
    if (const Status open = open_control_(strings.keep_directory); !open) {
      return failed(StartStep::kRequest, EACCES, "keep: " + open.message());
    }
  }
  StartOutcome outcome;
  auto sockets = make_sockets(temporary_groups_, variable_of(strings.env, "TMUX_TMPDIR"));
  if (!sockets) sockets = make_sockets(temporary_groups_, variable_of(strings.env, "SCREENDIR"));
  std::string shared_group;
  const auto let_go = [&](SessionNetworks* networks) { networks->let_go(shared_group); };
  std::unique_ptr<SessionNetworks, decltype(let_go)> shares(nullptr, let_go);  // if it fails
  UniqueFd connects;  // the child sends a listener through it
  std::unique_ptr<PreparedSandbox> sandbox;
  SandboxStart words;
  words.argv = strings.argv;
  words.env = strings.env;
  words.directory = strings.cwd;
  const auto mounts = mounts_->now();
  words.mounts = mounts.get();
  // One with the machine's network may have keys, which a core dump would hold.
  const bool held = strings.sandbox && !strings.sandbox->names_only &&
                    strings.sandbox->network != SandboxNetwork::kOn;
  if (strings.sandbox) runs_->set(mark.run, strings.sandbox->temporary_group, held);
  if (strings.sandbox && strings.sandbox->names_only) {
    if (is_temporary_group(strings.sandbox->temporary_group)) {
      outcome.temporary = link_temporary(strings.sandbox->temporary_group, words);
      outcome.outside_group = strings.sandbox->temporary_group;
    }
    const SandboxSpec names = holdable(*strings.sandbox, *mounts);
    if (const auto failing = hold_names(names, outcome.placeholders)) {
      return failed(StartStep::kSandbox, EACCES,
                    "the profile keeps " + *failing + " from being made, and this user cannot");
    }
  } else if (strings.sandbox) {
    if (!support_) support_ = probe_sandbox_support();
    if (support_->through_user_namespace && !user_namespace_) {
      auto made = network::make_user_namespace();
      if (!made) return failed(StartStep::kSandbox, ENOTSUP, made.status().message());
      user_namespace_ = std::move(*made);
    }
    SandboxStart start_sandbox = words;
    start_sandbox.lookups = &lookups_;
    start_sandbox.rulesets = &rulesets_;
    start_sandbox.temporary = &temporary_groups_;
    const std::string& session = strings.sandbox->temporary_group;
    if (!session.empty() && processes_of && strings.sandbox->network != SandboxNetwork::kOff) {
      start_sandbox.sockets = session_sockets([&] { return processes_of(session, false); });
    }
    start_sandbox.user_namespace = user_namespace_.get();
    start_sandbox.has_terminal = start.terminal.has_value();
    const bool is_checked = strings.sandbox->network == SandboxNetwork::kChecked;
    if (held && !session.empty() && !strings.sandbox->copied && processes_of) {
      start_sandbox.signalled = processes_of(session, true);
      if (start_sandbox.signalled.size() > kMaxSignalled) {
        start_sandbox.signalled.resize(kMaxSignalled);
      }
    }
    const auto is_own = [runs = runs_, session, keeper = mark.keeper](pid_t pid) {
      return runs->has(session, keeper, pid);
    };
    if (strings.sandbox->network == SandboxNetwork::kLoopback &&
        !strings.sandbox->network_group.empty()) {
      const std::string& group = strings.sandbox->network_group;
      // Networks with other ports of the machine are others in any case.
      const auto place = networks_.take(group, user_namespace_.get(),
                                        session.empty() ? "" : session + "/" + group, is_own);
      if (!place) return failed(StartStep::kSandbox, ENOTSUP, place.status().message());
      shared_group = group;
      shares.reset(&networks_);
      start_sandbox.network_namespace = (*place)->network.get();
    }
    if ((is_checked || !start_sandbox.signalled.empty()) && support_->listeners) {
      const auto may_signal = [runs = runs_, session, keeper = mark.keeper](pid_t pid) {
        return runs->holds(session, keeper, pid);
      };
      outcome.connects = network::Connects::start(
          {ports_of(strings.sandbox->network_group), is_own, may_signal}, &connects);
      if (!outcome.connects) return failed(StartStep::kFork, EAGAIN, "no thread for its connects");
      start_sandbox.connects = connects.get();
    }
    auto prepared =
        PreparedSandbox::prepare(holdable(*strings.sandbox, *mounts), *support_, start_sandbox);
    if (!prepared) return failed(StartStep::kSandbox, ENOTSUP, prepared.status().message());
    sandbox = std::move(*prepared);
    plan.sandbox = sandbox.get();
  }
  std::vector<char*> environment = strings.env;
  std::string temporary = "TMPDIR=";
  if (sandbox && !sandbox->temporary_directory().empty()) {
    temporary += sandbox->temporary_directory();
    std::erase_if(environment, [](const char* variable) {
      return variable != nullptr && std::strncmp(variable, "TMPDIR=", 7) == 0;
    });
    environment.insert(environment.begin(), temporary.data());
    plan.environment = environment.data();
  }

  Launched launched;
  if (const auto error = launcher_.launch(plan, launched)) {
    return failed(error->step, error->error,
                  error->step == StartStep::kSandbox ? describe(error->sandbox) : "");
  }
  struct stat in {};
  if (child[kIn] && ::fstat(child[kIn].get(), &in) == 0) {
    outcome.stdin_device = in.st_dev;
    outcome.stdin_inode = in.st_ino;
  }
  outcome.network_group = shared_group;
  (void)shares.release();
  outcome.started.pid = launched.pid;
  outcome.started.start_time = launched.start_time;
  outcome.started.in = static_cast<bool>(library[kIn]);
  if (sandbox) {
    outcome.started.sandbox = sandbox->report();
    if (networks_.is_one_of_several(outcome.network_group)) {
      outcome.started.sandbox.unprotected.emplace_back(kSeveralNetworks);
    }
    if (!strings.sandbox->temporary_group.empty()) remove_old_temporary_beside();
    outcome.placeholders = sandbox->take_placeholders();
    outcome.temporary = sandbox->take_temporary();
  }
  outcome.sockets = std::move(sockets);
  if (start.keep) {
    outcome.kept_out = std::move(library[kOut]);
    outcome.kept_err = std::move(library[kErr]);
  } else if (!start.terminal) {
    const auto another = [](const UniqueFd& fd) {
      return UniqueFd(fd ? ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0) : -1);
    };
    outcome.kept_out = another(library[kOut]);
    outcome.kept_err = another(library[kErr]);
  }
  outcome.started.out = static_cast<bool>(library[kOut]);
  outcome.started.err = static_cast<bool>(library[kErr]);
  if (start.keep) {
    outcome.keep_directory = strings.keep_directory;
    outcome.notes = strings.notes;
  }
  outcome.fds.add(std::move(launched.pidfd));
  for (UniqueFd& end : library) {
    if (end) outcome.fds.add(std::move(end));
  }
  outcome.end_place = strings.end_place;
  outcome.env_tag = variable_of(strings.env, kRunVariable);
  return outcome;
}

}  // namespace gibbous::keeper
