// Restricts what a program may touch, with Landlock, seccomp and, where the machine allows,
// namespaces. The keeper prepares (ordinary code) and the vfork child enters (system calls only,
// see runtime/process/launch.cc). A program never silently runs with less than was requested: a
// missing protection fails the start or is named in the report.
//
// One thread at a time. A PreparedSandbox may serve any number of starts, one after another.
//
// It does not hide processes, limit memory or CPU, keep a program from a unix socket that has a
// path and is not hidden (before Landlock ABI 9; with the network off there are no sockets) or from
// a hidden file's other hard links and mounts. A protected file that a process outside replaces by
// rename while a program runs is no longer protected from that program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/sandbox/placeholder.h"
#include "runtime/sandbox/temporary.h"

namespace gibbous {

namespace paths {
class MountTable;
}

// kChecked: this machine's, and connects are decided about outside (SandboxStart::connects).
// kLoopback: a network of the program's own, with 127.0.0.1 and ::1. kOff: no sockets at all except
// socketpair(2). From the loosest on.
enum class SandboxNetwork : std::uint8_t { kOn, kChecked, kLoopback, kOff };
const char* to_string(SandboxNetwork network);

// The limit for all lists together, and for each path with its terminating zero.
inline constexpr std::size_t kMaxSandboxPaths = 4096;
inline constexpr std::size_t kMaxSandboxPathBytes = 4096;
inline constexpr std::size_t kMaxSignalled = 1024;
inline constexpr std::size_t kMaxStandInBytes = std::size_t{64} << 10;

// Plain data from a profile. Paths are absolute; those that do not exist are skipped.
struct SandboxSpec {
  std::string profile;  // its name, for messages
  SandboxNetwork network = SandboxNetwork::kOn;
  std::vector<std::string> read;        // trees that may be read and executed
  std::vector<std::string> write;       // trees that may be read, executed and changed
  std::vector<std::string> unreadable;  // unreadable parts of those, also sockets
  // As `unreadable`, by shape: "/home/ann/.config//*/*token*" is what matches the pattern behind
  // the last "//" below that directory when the program starts (Lookups::names_in).
  std::vector<std::string> shapes;
  // Paths and shapes that neither a shape hides nor a directory in `unreadable` that they are in:
  // all else in that is hidden, and its names can be listed.
  std::vector<std::string> visible;
  // In pairs, a file in `unreadable` and what it reads as. Without a mount namespace and a
  // `temporary_group`, it is hidden as others are.
  std::vector<std::string> stand_ins;
  std::vector<std::string> unwritable;  // in `write`: may not be changed, moved or replaced
  std::vector<std::string> pinned;      // in `write`: may be changed but not moved or removed
  // As `unwritable`, and where there is nothing, a placeholder holds the name while the run lives:
  // see Placeholder::hold.
  std::vector<std::string> occupied;
  // Those directories in `unreadable` that belong to one user and are made where there is none
  // while the run lives, because only what exists can be covered: a program that makes a socket
  // there later makes it where the run cannot see it.
  std::vector<std::string> claimed;
  // Directories, outside of `write`, that the program may change for its group alone: what it
  // changes is in a layer over them. They stay as they are where there can be no layer, or no
  // `temporary_group`. One that does not exist is a directory of the group's own for the program,
  // unless '/' is its last character, and nothing is made in the machine's.
  std::vector<std::string> layered;
  // What the program changes in the trees under `write` is thrown away when its last process has
  // ended: it works on a copy of each, a layer that no other run has. Directories of its group
  // alone stay what they are. Where there can be no copy, the tree can be read.
  bool copied = false;
  // The layers of a group may hold so much before its next programs can change nothing in them, and
  // the copies of one run before it is ended. 0: no limit.
  std::uint64_t layer_bytes = 0;
  std::uint32_t min_landlock_abi = 0;  // prepare fails below it
  // An executor applies the profile: the keeper holds the names in `occupied`, and restricts
  // nothing.
  bool names_only = false;
  // With a network of its own: runs of the same group share it. "": the run's alone.
  // SessionNetworks::take says what the name means. With kChecked, only its ports count.
  std::string network_group;
  // The ports of this machine's loopback that may be reached from a network of its own, or with
  // kChecked. The library makes a part of the group's name of them.
  std::vector<std::uint16_t> host_ports;
  // Runs of the same group have temporary directories of their own, the same ones (temporary.h);
  // where there is no mount namespace, those of the machine, and the report says so. "": those of
  // the machine.
  std::string temporary_group;
  // In those directories of the machine: trees that are seen nevertheless. What the program's
  // arguments and environment name is, too.
  std::vector<std::string> shown;
  // The profile asks for a group. It stays with the library, which names it.
  bool own_temporary = false;
  // The workspace, and when it was asked for, in Unix milliseconds. They stay with the library,
  // which names what the run has changed or made of what git obeys there.
  std::string repositories_below;
  std::int64_t repositories_since = 0;
  // git may have commits and tags signed with the user's key. It stays with the library.
  bool signs = false;
  // Files of settings for `stand_ins`, and those of them whose text leaves secrets out. They stay
  // with the library.
  std::vector<std::string> views;
  std::vector<std::string> left_out;
  // Sentences for SandboxReport::unprotected: what the library could not find out. They stay
  // with the library.
  std::vector<std::string> gaps;
};

// What this machine allows this process to do.
struct SandboxSupport {
  std::uint32_t landlock_abi = 0;  // 0: no Landlock
  bool seccomp = false;
  bool user_namespaces = false;
  // With CAP_SYS_ADMIN, else within a user namespace.
  bool mount_namespaces = false;
  bool network_namespaces = false;
  bool through_user_namespace = false;  // how the last two become available
  // With mount namespaces: what has no terminal has an empty /dev/pts of its own.
  bool private_terminals = false;
  bool listeners = false;  // a process can decide about system calls of another
};

// Forks short-lived children to find out; the caller is unchanged and gets no SIGCHLD.
SandboxSupport probe_sandbox_support();

// Whether Landlock and seccomp are there, which a confined run rests on: two system calls.
bool can_confine();

// What is enforced for one start.
struct SandboxReport {
  std::uint32_t landlock_abi = 0;
  bool mount_namespace = false;
  bool network_namespace = false;
  bool seccomp = false;
  // Sentences about what was requested but is not enforced here, and about protected names that do
  // not exist.
  std::vector<std::string> unprotected;
  // A sentence when what is `layered`, or a part of it, can only be read; else "".
  std::string caches;
  // A sentence when what is `copied`, or a part of it, can only be read; else "".
  std::string copies;
  // Once its leader has ended: a sentence about what it has changed in copies; else "".
  std::string thrown_away;
  // As late: network::Connects::refused.
  std::string refused;
};

enum class SandboxStep : std::uint8_t {
  kUnshare,          // new namespaces
  kIdentity,         // the same user and group in the new user namespace
  kReadOnly,         // everything read-only
  kStand,            // names for what is `layered` and does not exist
  kLayer,            // `layered` and `copied`
  kWriteTree,        // except the trees that may be changed, and those of the session's own
  kHide,             // `unreadable`
  kProtect,          // `unwritable` and `pinned`
  kTerminals,        // terminals of its own
  kLoopback,         // lo up
  kCapabilities,     // those that reach out of a sandbox
  kNoNewPrivileges,  // needed by the next two
  kLandlock,
  kSeccomp,
};
const char* to_string(SandboxStep step);

struct SandboxFailure {
  SandboxStep step = SandboxStep::kUnshare;
  int error = 0;               // errno
  const char* path = nullptr;  // the path at fault, or null; lives as long as the PreparedSandbox
};

struct SandboxEntry;
class Lookups;
class Rulesets;

// What one start brings along.
struct SandboxStart {
  // The namespaces of a shared network; -1: the caller's user namespace, and a network of its own.
  int user_namespace = -1;
  int network_namespace = -1;
  // They keep what the next start may use again (lookups.h, ruleset.h).
  Lookups* lookups = nullptr;
  Rulesets* rulesets = nullptr;
  TemporaryGroups* temporary = nullptr;  // the same
  bool has_terminal = false;             // it keeps what is at /dev/pts
  // The socket through which the child sends the listener of its filter: with kChecked, and with
  // processes in `signalled`. -1: there is none.
  int connects = -1;
  // Processes of other runs about which the listener is asked when the program signals them, at
  // most kMaxSignalled.
  std::vector<pid_t> signalled;
  // The words of the program that is to start, for temporary directories of its own; null pointers
  // are skipped.
  std::span<const char* const> argv;
  std::span<const char* const> env;
  const char* directory = "";
  // Sockets of the session's own servers in the machine's temporary directories, absolute: they are
  // seen there.
  std::vector<std::string> sockets;
  // The mounts of this machine: words that name what may not answer are not looked up. Null: all of
  // them answer, and nothing is kept.
  const paths::MountTable* mounts = nullptr;
};

class PreparedSandbox {
 public:
  // Fails with "invalid_request" (which field, and why) or "sandbox_unavailable" (what is missing).
  static Result<std::unique_ptr<PreparedSandbox>> prepare(const SandboxSpec& spec,
                                                          const SandboxSupport& support,
                                                          const SandboxStart& start = {});
  ~PreparedSandbox();
  PreparedSandbox(const PreparedSandbox&) = delete;
  PreparedSandbox& operator=(const PreparedSandbox&) = delete;

  const SandboxReport& report() const { return report_; }
  // To be kept until the last process in the sandbox has ended.
  std::vector<Placeholder> take_placeholders() { return std::move(placeholders_); }
  TemporaryHold take_temporary() { return std::move(temporary_); }
  // What the program has to be given as TMPDIR, because it has the directories of its group nowhere
  // else; "": nothing.
  const std::string& temporary_directory() const { return temporary_directory_; }

  // Both run in the child, in this order, with chdir(2) somewhere after the first. They return
  // false with *failure set, and then the child must end. The second needs a descriptor of this
  // object, so call it before the child closes all others. Children must not enter concurrently.
  bool enter_namespaces(SandboxFailure* failure) const noexcept;
  bool restrict_self(SandboxFailure* failure) const noexcept;

 private:
  class Preparation;
  explicit PreparedSandbox(std::unique_ptr<SandboxEntry> entry);

  std::unique_ptr<SandboxEntry> entry_;
  SandboxReport report_;
  std::vector<Placeholder> placeholders_;
  TemporaryHold temporary_;
  std::string temporary_directory_;
};

}  // namespace gibbous
