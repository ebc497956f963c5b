// Makes the start request of a run. For a run that an executor started elsewhere, asks the executor
// about the end, and drops or carries out the cleanup command.
#include "runtime/runs/execution.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "runtime/base/sha256.h"
#include "runtime/base/shell_program.h"
#include "runtime/keeper/end_record.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/runs_entry.h"
#include "runtime/sandbox/socket_directory.h"

namespace gibbous {
namespace {

constexpr Millis kExecutorLimit{15'000};  // for an answer about an end

// The run may have removed its own directory.
constexpr const char* kCleanupDirectory = "/";

// Returns true for variables about the terminal of Gibbous itself.
bool is_of_terminal(const std::string& name) {
  return name == "TERM" || name == "COLUMNS" || name == "LINES";
}

// Returns true for variables that say which tmux or screen a program runs in, or talks to.
bool is_of_multiplexer(const std::string& name) {
  return name == "TMUX" || name == "TMUX_PANE" || name == "TMUX_TMPDIR" || name == "STY" ||
         name == "SCREENDIR";
}

std::vector<std::string> environment_of(const std::vector<std::string>& inherited,
                                        const std::map<std::string, std::string>& set,
                                        const std::vector<std::string>& unset,
                                        const std::optional<TerminalSpec>& terminal) {
  // Most runs change nothing and should not pay for the search.
  if (!terminal && set.empty() && unset.empty()) return inherited;
  std::vector<std::string> env;
  env.reserve(inherited.size() + set.size() + 2);
  for (const std::string& variable : inherited) {
    const std::string name = variable.substr(0, variable.find('='));
    const bool replaced = (terminal && is_of_terminal(name)) || set.count(name) != 0 ||
                          std::find(unset.begin(), unset.end(), name) != unset.end();
    if (!replaced) env.push_back(variable);
  }
  if (terminal && set.count("TERM") == 0) env.push_back("TERM=" + terminal->term);
  for (const auto& [name, value] : set) env.push_back(name + "=" + value);
  return env;
}

// Describes the limit; how far it was exceeded is unknown.
LimitReached limit_of(const LimitSet& limits, LimitKind kind) {
  LimitReached reached{kind, 0, 0};
  if (kind == LimitKind::kMemory) reached.limit = limits.tree.memory_bytes;
  if (kind == LimitKind::kPids) reached.limit = limits.tree.pids;
  if (kind == LimitKind::kFileSize) reached.limit = limits.file_size_bytes;
  if (kind == LimitKind::kCpuTime) {
    reached.limit = static_cast<std::uint64_t>(limits.tree.cpu_time.count());
  }
  reached.used = reached.limit;
  return reached;
}

// A server of tmux or screen starts what it is asked for: a run reaches none but its session's own,
// which the keeper ends.
void give_sockets(const RunSpec& spec, const std::string& group, StartRequest& request) {
  if (spec.execution || spec.internal) return;
  std::erase_if(request.env, [&](const std::string& variable) {
    const std::string name = variable.substr(0, variable.find('='));
    return is_of_multiplexer(name) && spec.env.count(name) == 0;
  });
  const bool confined = spec.sandbox.has_value();
  const std::string directory = socket_directory(group, confined);
  // In directories of the session's own, tmux takes its usual place, and screen makes one.
  const bool own = confined && spec.sandbox->own_temporary;
  const std::string screens = own ? "/tmp/screen-" + std::to_string(::geteuid()) : directory;
  if (spec.env.count("TMUX_TMPDIR") == 0) request.env.push_back("TMUX_TMPDIR=" + directory);
  if (spec.env.count("SCREENDIR") == 0) request.env.push_back("SCREENDIR=" + screens);
  if (confined) request.sandbox->unreadable.push_back(socket_directory(group, false));
}

}  // namespace

std::map<std::string, std::string> variables_of(const RunSpec& spec) {
  std::map<std::string, std::string> all = spec.env;
  all.insert(spec.secret_env.begin(), spec.secret_env.end());
  all.insert(spec.default_env.begin(), spec.default_env.end());
  return all;
}

std::string Runs::temporary_group(const std::string& session) const {
  constexpr std::size_t kDigits = 24;
  const std::string& owner = options_.keep_directory.empty() ? nonce_ : options_.keep_directory;
  return sha256_hex(owner + '\n' + session).substr(0, kDigits);
}

bool Runs::has_temporary(const std::string& session, const std::string& path) const {
  return gibbous::has_temporary(temporary_group(session), path);
}

// What a sandboxed run left in a directory of the session's, a run outside finds by the same name,
// and the sockets of one outside are shown to those inside.
void Runs::give_temporary(const Entry& entry, StartRequest& request) const {
  const RunSpec& spec = entry.run.spec_;
  if (request.sandbox && request.sandbox->own_temporary) {
    request.sandbox->shown.push_back(spec.workspace.empty() ? options_.workspace : spec.workspace);
    return;
  }
  if (request.sandbox || spec.execution || spec.internal) return;
  request.sandbox.emplace();
  request.sandbox->names_only = true;
  request.sandbox->temporary_group = temporary_group(spec.session);
}

StartRequest Runs::request_for(const Entry& entry) const {
  const RunSpec& spec = entry.run.spec_;
  const Execution* elsewhere = spec.execution ? &*spec.execution : nullptr;
  StartRequest request;
  if (elsewhere != nullptr) {
    request.argv = elsewhere->argv;
  } else if (spec.argv.empty()) {
    request.argv = shell_words(spec.shell.empty() ? options_.shell : spec.shell, spec.command);
  } else {
    request.argv = spec.argv;
  }
  if (elsewhere != nullptr && !elsewhere->cwd.empty()) {
    request.cwd = elsewhere->cwd;
  } else if (spec.cwd.empty()) {
    request.cwd = options_.workspace;
  } else if (spec.cwd.front() == '/') {
    request.cwd = spec.cwd;
  } else {
    request.cwd = options_.workspace + "/" + spec.cwd;
  }
  request.env =
      environment_of(spec.inherited_env ? *spec.inherited_env : options_.env,
                     elsewhere != nullptr ? elsewhere->env : variables_of(spec),
                     elsewhere != nullptr ? spec.withheld_env : spec.unset_env, spec.terminal);
  if (elsewhere != nullptr && !elsewhere->cleanup.empty()) {
    request.cleanup = CleanupCommand{elsewhere->cleanup, request.env, kCleanupDirectory};
  }
  request.env.push_back("GIBBOUS_RUN=" + entry.run.id_);
  request.in = spec.stdin_pipe ? StdioKind::kPipe : StdioKind::kNull;
  if (spec.terminal) request.terminal = spec.terminal->size;
  request.err = spec.merge_stderr ? StdioKind::kStdout : StdioKind::kPipe;
  const LimitSet& limits = elsewhere != nullptr ? elsewhere->limits : spec.limits;
  request.tree_limits = limits.tree;
  request.sandbox = spec.sandbox;
  if (request.sandbox) request.sandbox->layer_bytes = options_.limits.cache_bytes;
  const SandboxNetwork network = spec.sandbox ? spec.sandbox->network : SandboxNetwork::kOn;
  if (network == SandboxNetwork::kChecked || network == SandboxNetwork::kLoopback) {
    for (const std::uint16_t port : request.sandbox->host_ports) {
      request.sandbox->network_group += std::to_string(port) + ",";
    }
    request.sandbox->network_group += "/" + spec.session;
  }
  give_sockets(spec, temporary_group(spec.session), request);
  give_temporary(entry, request);
  if (elsewhere != nullptr && !elsewhere->names.empty()) {
    request.sandbox.emplace();
    request.sandbox->names_only = true;
    request.sandbox->occupied = elsewhere->names;
  }
  // The keeper's control sockets must stay hidden from a sandbox.
  if (request.sandbox && !options_.keep_directory.empty()) {
    request.sandbox->unreadable.push_back(options_.keep_directory);
  }
  if (spec.keep) {
    request.keep = true;
    request.keep_directory = options_.keep_directory;
    request.notes = notes_of(entry.run);
  }
  if (!spec.internal && !options_.end_directory.empty() && can_have_end_record(entry.run.id_)) {
    request.end_place = {options_.end_directory, entry.run.id_};
  }
  const auto each = [&request](int resource, std::uint64_t value, std::uint64_t slack) {
    if (value != 0) request.limits.push_back({resource, value, value + slack});
  };
  each(RLIMIT_NOFILE, limits.open_files, 0);
  // One file alone must not fill the disk before the keeper looks how much a run's copies hold.
  const std::uint64_t most =
      request.sandbox && request.sandbox->copied ? request.sandbox->layer_bytes : 0;
  const std::uint64_t file = limits.file_size_bytes;
  each(RLIMIT_FSIZE, file == 0 || most == 0 ? std::max(file, most) : std::min(file, most), 0);
  // A second safeguard below the keeper's limit: it holds for each process by itself, in whole
  // seconds.
  if (const auto cpu = limits.tree.cpu_time; cpu.count() != 0) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(cpu).count();
    each(RLIMIT_CPU, static_cast<std::uint64_t>(seconds + 1), 1);
  }
  return request;
}

void Runs::set_ports(Run& run, std::vector<PortMapping> ports) {
  run.spec_.execution->ports = std::move(ports);
}

bool Runs::ask_at_end(Entry& entry) {
  Run& run = entry.run;
  const auto& execution = run.spec_.execution;
  if (entry.asking != 0) return true;
  if (!execution || entry.asked || entry.verdict != RunState::kRunning || closing_) return false;
  entry.asked = true;
  if (!execution->asks_at_end || !ask_executor_) {
    entry.keeper->cleanup_done(run.key_, true);
    return false;
  }
  const auto take = [this, key = run.key_](const ExecutionEnd& end) {
    Entry* asked = entry_of(key);
    if (asked != nullptr && asked->asking != 0 && !closing_) take_execution_end(*asked, end);
  };
  entry.asking = deadlines_->after(kExecutorLimit, [take] { take(ExecutionEnd{}); });
  ask_executor_(run, *entry.exit, take);
  return true;
}

void Runs::take_execution_end(Entry& entry, const ExecutionEnd& end) {
  deadlines_->cancel(entry.asking);
  entry.keeper->cleanup_done(entry.run.key_, !end.clean);
  if (end.limit) {
    note_limit(entry, limit_of(entry.run.spec_.limits, *end.limit));
  }
  if (!end.reason.empty()) entry.verdict_reason = end.reason;
  finish_exited(entry);
}

// The keeper, which would have carried it out, is gone.
void Runs::carry_out_cleanup(const Entry& entry) {
  const auto& execution = entry.run.spec_.execution;
  if (!execution || execution->cleanup.empty() || closing_) return;
  RunSpec cleanup;
  cleanup.internal = true;
  cleanup.argv = execution->cleanup;
  cleanup.cwd = kCleanupDirectory;
  cleanup.env = execution->env;
  cleanup.timeout = kCleanupLimit;
  deadlines_->defer([this, cleanup] { (void)start(cleanup, [](Run&, const Status&) {}); });
}

}  // namespace gibbous
