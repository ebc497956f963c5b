#include "bindings/host/guarantees.h"

#include <string>
#include <utility>

#include "runtime/sandbox/own_network.h"

namespace gibbous::host {
namespace {

constexpr const char* kYes = "yes";
constexpr const char* kPartly = "partly";
constexpr const char* kNo = "no";

constexpr const char* kByScope =
    "by a scope of the user's systemd manager, for runs that start once the first one has answered";

class Table {
 public:
  void row(const char* name, bool holds, const char* otherwise, std::string why) {
    rows_.push_back({holds ? Finding::Grade::kGood : Finding::Grade::kNote,
                     std::string("guarantee.") + name, holds ? kYes : otherwise,
                     holds ? std::string() : std::move(why)});
  }
  // What holds because of control groups: now, or from the first answer on.
  void group_row(const char* name, const CgroupPlace& now, const CgroupPlace& later,
                 const char* otherwise, std::string why) {
    row(name, now.ok() || later.ok(), otherwise, std::move(why));
    if (!now.ok() && later.ok()) rows_.back().advice = kByScope;
  }
  std::vector<Finding> take() { return std::move(rows_); }

 private:
  std::vector<Finding> rows_;
};

constexpr const char* kNoKeeper = "nothing runs without the keeper";

void processes(const Machine& machine, Table& table) {
  table.row("end_with_host", machine.keeper, kNo, kNoKeeper);
  table.row("end_with_keeper", machine.keeper, kNo, kNoKeeper);
  table.row("setuid_programs", machine.keeper && machine.root, kNo,
            machine.keeper
                ? "no signal of this user reaches what has another user's rights, such as "
                  "sudo: a kill and the next start name it"
                : kNoKeeper);
  const bool marked = machine.marks != MarkMode::kNone;
  table.row("daemons", machine.keeper && machine.proc && marked, machine.keeper ? kPartly : kNo,
            !machine.keeper ? kNoKeeper
            : !machine.proc
                ? "/proc cannot be read: what leaves the process group of its run is "
                  "neither seen nor ended"
                : "a daemon that leaves its session, parents and environment ends with "
                  "the host, not with its run: other programs use the limits for marks");
  const std::string missing = machine.no_scope.empty() ? "" : " (" + machine.no_scope + ")";
  if (!machine.keeper) {
    table.row("hiding_daemons", false, kNo, kNoKeeper);
    return;
  }
  table.group_row("hiding_daemons", machine.groups.kill, machine.scope_groups.kill, kNo,
                  "a daemon that also sets both limits that carry marks ends with the host, not "
                  "with its run; delegate a control group (version 2) to this user" +
                      missing);
}

void limits(const Machine& machine, Table& table) {
  const std::string polled =
      "the keeper looks every 5 to 50 ms, so that a tree can exceed it for "
      "that long; delegate the controller to this user";
  const CgroupPlaces& now = machine.groups;
  const CgroupPlaces& later = machine.scope_groups;
  table.group_row("memory", now.memory, later.memory, kPartly, polled);
  table.group_row("pids", now.pids, later.pids, kPartly, polled);
  table.group_row("cpu_share", now.cpu, later.cpu, kNo,
                  "runs with this limit are refused; delegate the cpu controller to this user");
}

void sandbox(const Machine& machine, Table& table) {
  const SandboxSupport& can = machine.sandbox;
  const bool enforced = can.landlock_abi > 0 && can.seccomp;
  const std::string refused = "runs with a sandbox are refused: it needs Landlock and seccomp";
  table.row("sandbox_writes", enforced, kNo, refused);
  const bool hides = enforced && can.mount_namespaces;
  table.row("sandbox_hides", hides, enforced ? kPartly : kNo,
            enforced ? "without mount namespaces, what lies in a readable tree is readable; each "
                       "run names what is not hidden"
                     : refused);
  table.row("sandbox_names", hides, kNo,
            enforced ? "without mount namespaces, names that git obeys can be made where there are "
                       "none; each run names them"
                     : refused);
  table.row("network_off", enforced, kNo, refused);
  table.row("network_loopback", enforced && can.network_namespaces, kNo,
            enforced ? "it needs network namespaces: commands that no rule knows have no network "
                       "at all, and runs with network = 'loopback' are refused"
                     : refused);
}

}  // namespace

const std::string& sandbox_gap() {
  static const std::string gap = [] {
    if (!can_confine()) {
      return "No sandbox holds on this machine, for want of Landlock or seccomp: mode plan denies "
             "all commands, default asks about all, auto runs unasked what only reads, and ci what "
             "rules know.";
    }
    if (can_own_network()) return "";
    return "This machine refuses namespaces: a sandboxed run can change what git obeys in the "
           "workspace, and has the machine's /tmp, so that nothing leaves the sandbox unasked; in "
           "plan, the workspace is only read; what no rule knows has no network.";
  }();
  return gap;
}

std::vector<Finding> guarantees(const Machine& machine) {
  Table table;
  processes(machine, table);
  limits(machine, table);
  sandbox(machine, table);
  table.row("record", machine.recorded, kNo, "runs work, but neither output nor ends are recorded");
  return table.take();
}

}  // namespace gibbous::host
