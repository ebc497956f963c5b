// One function for each topic; each adds its findings.
#include "gibbous/doctor.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "bindings/host/guarantees.h"
#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/queued_start.h"
#include "bindings/lua/load/config.h"
#include "gibbous/approvals.h"
#include "gibbous/policy.h"
#include "runtime/audit/approval.h"
#include "runtime/base/mounts.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/journal/schema.h"
#include "runtime/keeper/keeper_program.h"
#include "runtime/process/cgroup_places.h"
#include "runtime/process/launch.h"
#include "runtime/process/mark.h"
#include "runtime/process/user_scope.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {
namespace {

using Grade = Finding::Grade;

const char* to_string(Grade grade) {
  switch (grade) {
    case Grade::kGood:
      return "good";
    case Grade::kNote:
      return "note";
    case Grade::kProblem:
      return "problem";
  }
  return "problem";
}

// Names the switch that keeps namespaces from this process, as far as files tell.
std::string namespace_switch() {
  const auto says = [](const char* file, char value) {
    return read_small_file(file).starts_with(value);
  };
  if (says("/proc/sys/user/max_user_namespaces", '0')) {
    return "allow user namespaces: sysctl user.max_user_namespaces=10000";
  }
  constexpr std::string_view kFilter = "\nSeccomp:\t2";
  if (read_small_file("/proc/self/status").find(kFilter) != std::string::npos) {
    return "start the container with --security-opt seccomp=unconfined (docker and podman; with "
           "AppArmor also --security-opt apparmor=unconfined): a seccomp filter refuses them";
  }
  if (says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1')) {
    return "allow user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  }
  return "allow user namespaces (kernel.unprivileged_userns_clone=1), or give CAP_SYS_ADMIN";
}

class Examination {
 public:
  explicit Examination(const RuntimeOptions& options) : options_(options) {}

  std::vector<Finding> run() {
    system();
    keeper();
    installation();
    policy();
    journal();
    limits();
    sandbox();
    executors();
    for (Finding& finding : host::guarantees(machine_)) found_.push_back(std::move(finding));
    return std::move(found_);
  }

 private:
  void add(Grade grade, std::string name, std::string value, std::string advice = "") {
    found_.push_back({grade, std::move(name), std::move(value), std::move(advice)});
  }

  // Loads it as a runtime would now. A running one keeps its policy until the new one is accepted.
  void policy() {
    PolicyOptions wanted;
    wanted.policies_dir = options_.policies_dir;
    wanted.config_file = options_.config_file;
    wanted.workspace = options_.workspace;
    wanted.mode = options_.mode;
    auto loaded = Policy::load(wanted);
    if (!loaded) {
      add(Grade::kProblem, "policy", "refused: " + loaded.status().message(),
          "A new runtime denies everything; a running one keeps its present policy. "
          "`gibbous policy test` shows what fails.");
      return;
    }
    add(Grade::kGood, "policy",
        (*loaded)->hash() + ", " + std::to_string((*loaded)->rules()) + " rules, " +
            std::to_string((*loaded)->modes().size()) + " modes");
    const auto approvals = list_approvals(options_.state_dir);
    if (!approvals) {
      add(Grade::kNote, "approvals", approvals.status().message());
    } else if (!approvals->empty()) {
      add(Grade::kGood, "approvals", std::to_string(approvals->size()) + " remembered",
          "`gibbous approvals list` shows them.");
    }
  }

  void journal() {
    const std::string directory = host::state_directory(options_.state_dir);
    const auto reader = JournalReader::open(directory);
    machine_.recorded = reader || reader.status().code() == "journal_missing" ||
                        reader.status().code() == "state_dir_missing";
    add(Grade::kGood, "versions",
        "journal " + std::to_string(kJournalVersion) + ", approvals " +
            std::to_string(kApprovalTable.version) + ", queued starts " +
            std::to_string(lua::kQueuedStartVersion) + ", decisions " +
            std::to_string(kDecisionVersion));
    const std::string code = reader.status().code();
    if (reader) {
      std::error_code ignored;
      const auto bytes = std::filesystem::file_size(directory + "/sessions.db", ignored);
      add(Grade::kGood, "journal",
          directory + "/sessions.db, " + std::to_string(bytes >> 10) + " KiB");
    } else if (code == "journal_newer" || code == "journal_older") {
      add(Grade::kNote, "journal", reader.status().message(),
          code == "journal_newer" ? "Runs work, but this program neither records nor shows them."
                                  : "Runs work, and are recorded once the file is set aside.");
    } else if (code != "journal_missing" && code != "state_dir_missing") {
      add(Grade::kNote, "journal", reader.status().message(),
          "Runs work, but are not recorded. `gibbous doctor --set-aside` checks the file, and "
          "moves "
          "it aside when it is damaged.");
    }
  }

  void system() {
    utsname names{};
    ::uname(&names);
    add(Grade::kGood, "system",
        std::string(names.sysname) + " " + names.release + " " + names.machine);
  }

  void keeper() {
    const auto path = find_keeper(options_.keeper_path);
    if (const Status good = check_keeper_of(options_.keeper_path); good) {
      machine_.keeper = true;
      add(Grade::kGood, "keeper", *path);
    } else {
      add(Grade::kProblem, "keeper",
          good.code() == "keeper_mismatch" ? "of another version" : "not found", good.message());
    }
    machine_.root = ::geteuid() == 0;
    machine_.proc = ::access("/proc/self/stat", R_OK) == 0;
    const MarkMode marks = machine_.marks = mark_mode();
    if (marks == MarkMode::kNone) {
      add(Grade::kNote, "keeper.marks", "not available",
          "other programs limit real-time CPU time and file locks: a daemon that leaves its "
          "session, parents and environment ends with the keeper, not with its run");
    } else {
      add(Grade::kGood, "keeper.marks",
          marks == MarkMode::kHard ? "own" : "inside another keeper's");
    }
  }

  void installation() {
    const auto share = host::find_share();
    add(share ? Grade::kGood : Grade::kProblem, "share", share ? *share : "not found",
        share ? "" : share.status().message());
    RuntimeOptions quiet = options_;
    quiet.watch_files = false;
    quiet.adopt_runs = false;
    quiet.loop = nullptr;
    auto runtime = Runtime::create(quiet);
    if (!runtime) {
      add(Grade::kProblem, "scripts", runtime.status().code(), runtime.status().message());
      return;
    }
    add(Grade::kGood, "scripts", std::to_string((*runtime)->tools().size()) + " tools");
    const std::string policy = (*runtime)->policy_error();
    add(policy.empty() ? Grade::kGood : Grade::kProblem, "policies",
        policy.empty() ? "mode " + (*runtime)->mode() : "broken: everything is denied", policy);
    (*runtime)->hand_over();
  }

  void limit(const char* name, const CgroupPlace& place, const CgroupPlace& later,
             bool can_be_polled) {
    const std::string full = std::string("limits.") + name;
    if (!place.ok() && later.ok()) {
      add(Grade::kGood, full, std::string(gibbous::to_string(later.version)) + " in a user scope",
          std::string("from the first answer on; until then ") +
              (can_be_polled ? "the keeper polls" : "runs with this limit are refused"));
    } else if (place.ok()) {
      add(Grade::kGood, full,
          std::string(gibbous::to_string(place.version)) + " at " + place.directory);
    } else if (can_be_polled) {
      add(Grade::kNote, full, "polling",
          "the keeper polls; to let the kernel enforce the limit, delegate the " +
              std::string(name) + " controller of control groups to this user");
    } else {
      add(Grade::kNote, full, "not available",
          "runs with this limit are refused; delegate the " + std::string(name) +
              " controller of control groups to this user");
    }
  }

  // Asks the manager, as a keeper would: what is there need not work.
  void user_scope() {
    auto places = try_user_scope();
    if (places) {
      machine_.scope_groups = *places;
      add(Grade::kGood, "limits.user_scope", "yes",
          "the user's systemd manager makes a scope for runs after the first answer; it ends when "
          "the manager does, also for detached runs (`loginctl enable-linger` keeps it)");
    } else {
      machine_.no_scope = places.status().message();
      add(Grade::kNote, "limits.user_scope", "not available", machine_.no_scope);
    }
  }

  void limits() {
    const CgroupPlaces& places = machine_.groups = find_cgroup_places();
    const CgroupPlaces& later = machine_.scope_groups;
    if (!places.kill.ok()) user_scope();
    limit("memory", places.memory, later.memory, true);
    limit("pids", places.pids, later.pids, true);
    limit("cpu", places.cpu, later.cpu, false);
    add(Grade::kGood, "limits.cpu_time", "polling");
    if (places.kill.ok()) {
      add(Grade::kGood, "limits.cgroup_kill", places.kill.directory);
    } else if (later.kill.ok()) {
      add(Grade::kGood, "limits.cgroup_kill", "in a user scope", "from the first answer on");
    } else {
      add(Grade::kNote, "limits.cgroup_kill", "not available",
          "trees are killed one process group at a time");
    }
  }

  void sandbox() {
    const SandboxSupport support = machine_.sandbox = probe_sandbox_support();
    if (support.landlock_abi == 0) {
      add(Grade::kNote, "sandbox.landlock", "none",
          "runs with a sandbox are refused; Linux 5.13 has Landlock, if it is in the kernel's list "
          "of security modules (lsm=landlock,...)");
    } else {
      add(Grade::kGood, "sandbox.landlock", "ABI " + std::to_string(support.landlock_abi));
    }
    add(support.seccomp ? Grade::kGood : Grade::kNote, "sandbox.seccomp",
        support.seccomp ? "yes" : "no", support.seccomp ? "" : "runs with a sandbox are refused");
    if (const std::string& gap = host::sandbox_gap(); !gap.empty())
      add(Grade::kNote, "sandbox.modes", "not as they should be", gap);
    if (support.landlock_abi == 0 || !support.seccomp) return;
    const std::string how = support.through_user_namespace ? "through a user namespace" : "yes";
    add(support.mount_namespaces ? Grade::kGood : Grade::kNote, "sandbox.mount_namespace",
        support.mount_namespaces ? how : "no",
        support.mount_namespaces
            ? ""
            : "credentials in readable trees are not hidden; each run reports what is not "
              "protected. To have them, " +
                  namespace_switch());
    add(support.network_namespaces ? Grade::kGood : Grade::kNote, "sandbox.network_namespace",
        support.network_namespaces ? how : "no",
        support.network_namespaces ? ""
                                   : "commands that no rule knows have no network at all, and runs "
                                     "with network = 'loopback' are refused. To have them, " +
                                         namespace_switch());
  }

  void executors() {
    const char* variable = std::getenv("PATH");
    const std::string path =
        std::string("PATH=") + (variable == nullptr ? "/usr/bin:/bin" : variable);
    const char* const environment[] = {path.c_str()};
    for (const char* program : {"bwrap"}) {
      const ExecCandidates candidates(program, environment);
      const auto found =
          std::find_if(candidates.paths().begin(), candidates.paths().end(),
                       [](const char* candidate) { return ::access(candidate, X_OK) == 0; });
      const bool there = found != candidates.paths().end();
      add(there ? Grade::kGood : Grade::kNote, std::string("executors.") + program,
          there ? *found : "not found", there ? "" : "install bubblewrap to use executors.bwrap");
    }
  }

  const RuntimeOptions& options_;
  host::Machine machine_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> examine(const RuntimeOptions& options) {
  return Examination(options).run();
}

std::string findings_json(const std::vector<Finding>& findings) {
  OrderedJson list = OrderedJson::array();
  bool ok = true;
  for (const Finding& finding : findings) {
    OrderedJson entry = {
        {"name", finding.name}, {"grade", to_string(finding.grade)}, {"value", finding.value}};
    if (!finding.advice.empty()) entry["advice"] = finding.advice;
    list.push_back(std::move(entry));
    ok = ok && finding.grade != Grade::kProblem;
  }
  const OrderedJson all = {{"version", version()}, {"ok", ok}, {"findings", std::move(list)}};
  return to_text(all);
}

}  // namespace gibbous
