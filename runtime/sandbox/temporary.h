// The temporary directories of a session. Its sandboxed runs have them in place of the machine's,
// so that what others put there later (sockets, above all) is absent, and what one run writes to
// /tmp/x.log the next one reads there. They are ordinary directories below the machine's own:
//
//   /tmp/gibbous-UID/GROUP/files       is /tmp          /tmp/gibbous-UID/GROUP/run  is /run/user
//   /var/tmp/gibbous-UID/GROUP/files   is /var/tmp      /dev/shm/gibbous-UID/GROUP/files, /dev/shm
//
// Any thread; a GROUP may be used by several processes.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/paths.h"
#include "runtime/sandbox/placeholder.h"

namespace gibbous {

inline constexpr std::array<const char*, 4> kTemporaryDirectories = {"/tmp", "/var/tmp", "/dev/shm",
                                                                     "/run/user"};
inline constexpr std::size_t kMaxTemporaryGroupBytes = 64;
// Letters, digits and "-": it becomes the name of a directory.
bool is_temporary_group(std::string_view group);

// Returns where a run of the group finds `path`, which is absolute, when it is in one of these
// directories; nothing for others. Touches no file.
std::optional<std::string> temporary_path(const std::string& group, const std::string& path);
// Returns true when the group has something at `path`. Follows no link and enters no mount, so that
// it never waits, and tells nothing about what a run could not see.
bool has_temporary(const std::string& group, const std::string& path);
// The same, O_PATH; unset when there is none.
UniqueFd open_temporary(const std::string& group, const std::string& path);
// The name of a group's overlay over a directory.
std::string layer_name(const std::string& directory);
// Returns true when runs of the group have changed what is at `path`, in a layer over `directory`,
// since then (Unix time). Touches nothing else, as has_temporary().
bool has_changed_layer(const std::string& group, const std::string& directory,
                       const std::string& path, std::chrono::milliseconds since);
// Returns true when the text names something in one of these directories of the machine.
bool names_temporary(std::string_view text);
// Returns the absolute paths in one of `directories` that the text names, each once; looks at no
// more than `budget` places, and counts them. A text is read as no language: a path ends at what no
// name has unless it is quoted.
std::vector<std::string> named_below(std::string_view text,
                                     const std::vector<std::string>& directories,
                                     std::size_t& budget);
// Returns true for what holds the groups of this user, and for what is in it.
bool is_temporary_base(std::string_view path);

struct TemporaryDirectory {
  std::string target;  // the machine's, without symbolic links
  std::string source;  // what is there for the group
  UniqueFd fd;         // of that, O_PATH
  mode_t mode = 0;
  bool is_runtime = false;  // /run/user
};

// The directories of a group, and its lock. The last one of all processes removes those that are
// empty.
class TemporaryGroup {
 public:
  // Makes what is missing, and moves away what runs have put in its place. Fails with
  // "sandbox_unavailable": a run never gets the machine's in their stead because of what another
  // one did.
  static Result<std::shared_ptr<TemporaryGroup>> make(const std::string& name);
  // Only holds the group's own place, for what lies beside the directories: a session that has the
  // directories counts as one whose sandboxed runs may have left something in them.
  static Result<std::shared_ptr<TemporaryGroup>> make_beside(const std::string& name);
  ~TemporaryGroup();
  TemporaryGroup(const TemporaryGroup&) = delete;
  TemporaryGroup& operator=(const TemporaryGroup&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<TemporaryDirectory>& directories() const { return directories_; }
  // A sentence for each that this user cannot have on this machine.
  const std::vector<std::string>& failed() const { return failed_; }
  // They were neither removed nor changed.
  bool is_there() const;
  // It counts as used now.
  void note_use() const;
  // A directory for layers over others, which no other run of the group has until the lock is
  // closed; it goes with the group. Runs one after another get the same. Nothing: there is none.
  struct LayerPlace {
    std::string path;
    std::string copies;       // for what this run has alone; does not exist
    std::uint64_t bytes = 0;  // of all layers of the group, as they were when a run ended
    UniqueFd lock;
  };
  std::optional<LayerPlace> take_layers() const;
  // Returns a file with the text that no run of the group can change; it goes with the layers.
  std::optional<std::string> text_file(std::string_view text) const;
  // A directory in one of them, which goes when it is empty, too.
  void note_made(std::size_t directory, std::string path);
  // Where runs of this process have something mounted in them, and what is on the way there: as
  // paths in the sources, how many runs each.
  std::map<std::string, int>& mount_points() { return mount_points_; }
  // Leaves everything where it is.
  void leave() { name_.clear(); }

 private:
  explicit TemporaryGroup(std::string name) : name_(std::move(name)) {}
  friend class TemporaryGroups;
  Status make_all();

  std::string name_;
  std::vector<TemporaryDirectory> directories_;
  std::vector<std::string> failed_;
  std::vector<std::pair<std::size_t, std::string>> made_;  // parents first
  std::map<std::string, int> mount_points_;
  UniqueFd lock_;
};

// The groups that this process used last, for the next run of each. One thread.
class TemporaryGroups {
 public:
  Result<std::shared_ptr<TemporaryGroup>> get(const std::string& name);
  Result<std::shared_ptr<TemporaryGroup>> get_beside(const std::string& name);

 private:
  // The newest of those that are kept and there still; null for none.
  std::shared_ptr<TemporaryGroup> find(const std::string& name);
  Result<std::shared_ptr<TemporaryGroup>> keep(Result<std::shared_ptr<TemporaryGroup>> made);

  std::vector<std::shared_ptr<TemporaryGroup>> kept_;  // the newest last
};

// A tree of which a run has a copy (layers.h).
struct CopiedTree {
  std::string target;
  std::string upper;  // what is different in the copy
};

// The copies of a run, and what is known of their size.
struct RunCopies {
  std::string directory;  // all of it is in there
  std::vector<CopiedTree> trees;
  std::string near;         // changes in this directory are named without it
  bool compares = true;     // the trees answer at once
  std::uint64_t limit = 0;  // bytes
  std::uint64_t free_at_start = 0;
  std::uint64_t free_before = 0;  // less what the copies held when they were last measured
  int looks_until_measured = 0;
};

// Keeps the directories of a group while a run lives, the places in them where something of the
// machine's is mounted, and names outside for what is in them.
class TemporaryHold {
 public:
  TemporaryHold() = default;
  explicit TemporaryHold(std::shared_ptr<TemporaryGroup> group) : group_(std::move(group)) {}
  ~TemporaryHold() { let_go(); }
  TemporaryHold(TemporaryHold&& other) noexcept { *this = std::move(other); }
  TemporaryHold& operator=(TemporaryHold&& other) noexcept;

  // Makes the place for a mount at `path`, which is in a source of the group, and what is missing
  // above. Returns false when something else is there.
  bool add_mount_point(const std::string& source, const std::string& path, bool is_directory);
  // Something is mounted at a directory that a run has made, which is not removed meanwhile.
  void note_points(std::vector<std::string> names);
  // Moves away what keeps add_mount_point() from it. Returns false when there is no such thing.
  static bool clear_way(const std::string& source, const std::string& path);
  // Makes `path` a name for what is at `target`, unless something is there already.
  void add_link(const std::string& path, const std::string& target);
  // Keeps a lock of the group's (take_layers) while the run lives.
  void keep(UniqueFd lock) { lock_ = std::move(lock); }
  // Keeps its copies while the run lives, and moves them away then, for remove_moved_layers().
  void keep(RunCopies copies) { copies_ = std::move(copies); }
  RunCopies& copies() { return copies_; }
  // The group, or null.
  TemporaryGroup* group() const { return group_.get(); }
  // It has layers of the group.
  bool has_layers() const { return static_cast<bool>(lock_); }
  // Lets go of all, and leaves everything where it is.
  void leave();

 private:
  struct Link {
    std::string path;
    std::string target;
  };
  void let_go();
  void let_go_of_points();

  std::vector<Placeholder> mount_points_;  // children first
  std::vector<std::string> points_;        // of TemporaryGroup::mount_points()
  std::vector<Link> links_;
  RunCopies copies_;
  UniqueFd lock_;
  std::shared_ptr<TemporaryGroup> group_;
};

// Removes what was moved away of a group's layers. May take as long as they have files.
void remove_moved_layers(const std::string& group);
// Notes how much the layers of a group hold, for take_layers(). May take as long as they have
// files.
void note_layer_bytes(const std::string& group);

// Removes what groups have left that is not held and was not used for so long; of their layers,
// all that are not held. May take as long as the files in them are many.
void remove_old_temporary(std::chrono::seconds age);

}  // namespace gibbous
