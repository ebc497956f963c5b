// Turns a profile's lists into the child's work: which trees Landlock grants, what covers what in
// the mount namespace, and what this machine cannot do.
//
// Prepared for each start, so that a name that another program has replaced is protected again.
// Where mount namespaces are available, everything but the write trees is read-only, hidden paths
// are covered (directories by an empty one, else by /dev/null), unwritable ones are mounted
// read-only and pinned ones onto themselves, as are the directories above them: a mount point can
// be neither moved nor replaced. The write tree "/" means everything in it but /dev, /proc and
// /sys.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <string_view>
#include <utility>

#include "runtime/base/mounts.h"
#include "runtime/paths/mount_types.h"
#include "runtime/sandbox/check.h"
#include "runtime/sandbox/covers.h"
#include "runtime/sandbox/devices.h"
#include "runtime/sandbox/entry.h"
#include "runtime/sandbox/gap.h"
#include "runtime/sandbox/hidden.h"
#include "runtime/sandbox/kernel.h"
#include "runtime/sandbox/layers.h"
#include "runtime/sandbox/lookups.h"
#include "runtime/sandbox/paths.h"
#include "runtime/sandbox/ruleset.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/seccomp_filter.h"
#include "runtime/sandbox/temporary_plan.h"

namespace gibbous {
namespace {

constexpr std::array kDevices = {"/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                 "/dev/urandom", "/dev/tty",  "/dev/ptmx"};
constexpr const char* kSharedMemory = "/dev/shm";
constexpr std::array<std::string_view, 3> kKernelTrees = {"/dev", "/proc", "/sys"};
constexpr std::array<std::string_view, 2> kWritableInDev = {"/dev/shm", "/dev/mqueue"};
constexpr std::uint32_t kMinAbiTruncate = 3;

}  // namespace

class PreparedSandbox::Preparation {
 public:
  Preparation(const SandboxSpec& spec, const SandboxSupport& support, const SandboxStart& start,
              PreparedSandbox& made)
      : spec_(spec),
        support_(support),
        start_(start),
        made_(made),
        entry_(*made.entry_),
        report_(made.report_),
        held_(made.temporary_),
        lookups_(start.lookups != nullptr ? *start.lookups : once_) {}

  Status run() {
    lookups_.begin(start_.mounts);
    Status status = prepare();
    return status ? lookups_.status() : status;
  }

 private:
  Status prepare() {
    report_.landlock_abi = support_.landlock_abi;
    report_.seccomp = true;
    report_.mount_namespace = support_.mount_namespaces;
    report_.network_namespace = spec_.network == SandboxNetwork::kLoopback;
    if (Status status = check_spec(spec_, support_); !status) return status;
    if (Status status = add_questions(); !status) return status;
    spec_.unreadable = hidden_names(spec_, lookups_, report_.unprotected);
    choose_namespaces();
    entry_.dropped_capabilities = capabilities_to_drop(entry_.is_in_user_namespace());
    if (Status status = resolve_trees(); !status) return status;
    if (Status status = have_own_temporary(); !status) return status;
    if (report_.mount_namespace) {
      const auto is_own = [this](const std::string& path) { return is_absent(path); };
      Status status = layers_.find(spec_, lookups_, read_, write_, is_own);
      if (!status) return status;
    }
    if (spec_.copied) take_copied();
    if (Status status = make_stand_ins(); !status) return status;
    if (Status status = build_ruleset(); !status) return status;
    resolve_protected();
    if (report_.mount_namespace) {
      layers_.lay(mounted(), entry_.ruleset->left_out, absent_in_layers_);
      report_.caches = layers_.problem();
      report_layers();
      if (spec_.copied) lay_copies();
      add_covers();
    } else {
      report_missing_mounts();
    }
    for (std::string& gap : landlock_gaps(support_.landlock_abi, spec_.network)) {
      report_.unprotected.push_back(std::move(gap));
    }
    auto filter = seccomp_filter(spec_.network);
    if (!filter) return filter.status();
    entry_.filter = *filter;
    return {};
  }

  Status add_questions() {
    if (start_.connects < 0) {
      if (spec_.network != SandboxNetwork::kChecked) return {};
      spec_.network = SandboxNetwork::kOn;
      report_.unprotected.push_back(
          "services on this machine's loopback, link-local addresses and cloud metadata can be "
          "connected to: system calls cannot be decided about here");
      return {};
    }
    auto asking = asking_filter(spec_.network, start_.signalled);
    if (!asking) return asking.status();
    entry_.questions = std::move(*asking);
    entry_.asking = {static_cast<unsigned short>(entry_.questions.size()), entry_.questions.data()};
    entry_.connects = start_.connects;
    return {};
  }

  void choose_namespaces() {
    // System V shared memory and message queues have no path to grant.
    if (report_.mount_namespace) entry_.namespaces |= kernel::kCloneNewNs | kernel::kCloneNewIpc;
    const bool joins = report_.network_namespace && start_.network_namespace >= 0;
    if (support_.through_user_namespace && (joins || entry_.namespaces != 0)) {
      entry_.user_namespace = start_.user_namespace;
    }
    if (joins) {
      entry_.network_namespace = start_.network_namespace;
    } else if (report_.network_namespace) {
      entry_.namespaces |= kernel::kCloneNewNet;
      entry_.loopback = true;
    }
    if (entry_.namespaces == 0 || !support_.through_user_namespace) return;
    if (entry_.user_namespace >= 0) return;  // that one gives the rights for the others
    entry_.namespaces |= kernel::kCloneNewUser;
    const auto map = [](unsigned id) {
      return std::to_string(id) + " " + std::to_string(id) + " 1";
    };
    entry_.uid_map = map(::geteuid());
    entry_.gid_map = map(::getegid());
  }

  Status invalid(const char* field, const std::string& why) const {
    return Status::error("invalid_request", "sandbox " + spec_.profile + ": " + field + ": " + why);
  }

  Status led_astray(const char* field, const ResolvedPath& tree) const {
    return invalid(field, tree.asked + " leads to " + tree.path +
                              " through a link that programs inside can make");
  }

  // Returns nothing where the path does not exist.
  Status add_tree(const std::string& asked, const char* field, std::vector<ResolvedPath>& trees) {
    auto resolved = resolve_path(asked, field);
    if (!resolved) return resolved.status();
    if (!*resolved) return {};
    if (is_led_astray(**resolved, write_)) {
      return led_astray(field, **resolved);
    }
    trees.push_back(std::move(**resolved));
    return {};
  }

  Status resolve_trees() {
    for (const std::string& asked : spec_.write) {
      if (Status status = add_tree(asked, "write", write_); !status) return status;
    }
    std::erase_if(write_, [this](const ResolvedPath& tree) {
      const bool is_device = may_be_granted(tree.path);
      if (is_device) devices_.push_back(tree.path);
      return is_device;
    });
    if (write_.empty() && devices_.empty() && !spec_.write.empty()) {
      report_.unprotected.push_back("none of the trees under `write` exists");
    }
    // Repeated, for links in trees that were named later.
    for (const ResolvedPath& tree : write_) {
      if (is_led_astray(tree, write_)) {
        return led_astray("write", tree);
      }
    }
    if (Status status = refuse_kernel_trees(); !status) return status;
    if (Status status = add_tree(kSharedMemory, "write", write_); !status) return status;
    for (const std::string& asked : spec_.read) {
      if (Status status = add_tree(asked, "read", read_); !status) return status;
    }
    return {};
  }

  // A process that may write there configures the machine. For the root itself, its entries are
  // granted.
  Status refuse_kernel_trees() {
    bool whole = false;
    for (const ResolvedPath& tree : write_) {
      whole = whole || tree.path == "/";
      for (const std::string_view kernel_tree : kKernelTrees) {
        if (is_within(tree.path, kernel_tree) && !is_within_any(tree.path, kWritableInDev)) {
          return invalid("write", tree.path + " belongs to the kernel");
        }
      }
    }
    if (!whole) return {};
    write_.clear();
    for (const std::string& child : children_of("/")) {
      auto& trees = is_one_of(child, kKernelTrees) ? read_ : write_;
      if (Status status = add_tree(child, "write", trees); !status) return status;
    }
    return {};
  }

  Status have_own_temporary() {
    if (spec_.temporary_group.empty() || !report_.mount_namespace) remove_nested(write_);
    if (spec_.temporary_group.empty()) return {};
    if (!report_.mount_namespace && spec_.copied) return have_temporary_elsewhere();
    if (!report_.mount_namespace) {
      report_.unprotected.push_back(
          "the temporary directories are those of the whole machine: no mount namespace here");
      return {};
    }
    auto plan = plan_temporary(spec_, start_, write_, report_.unprotected);
    if (!plan) return plan.status();
    temporary_ = std::move(*plan);
    held_ = std::move(temporary_.hold);
    remove_nested(write_);
    return {};
  }

  // The machine's cannot be written, and the group's have no other place here.
  Status have_temporary_elsewhere() {
    auto group = start_.temporary != nullptr ? start_.temporary->get(spec_.temporary_group)
                                             : TemporaryGroup::make(spec_.temporary_group);
    if (!group) return group.status();
    held_ = TemporaryHold(*group);
    if (!(*group)->directories().empty()) {
      made_.temporary_directory_ = (*group)->directories().front().source;
    }
    return {};
  }

  // No rule grants the trees themselves, whatever way leads there.
  void take_copied() {
    first_copied_ = temporary_.shown.size();
    std::move(write_.begin(), write_.end(), std::back_inserter(temporary_.shown));
    write_.clear();
  }

  void lay_copies() {
    RunCopies copies;
    copies.near = follow_links(start_.directory);
    copies.compares = start_.mounts == nullptr || start_.mounts->all_local();
    const auto trees = std::span(temporary_.shown).subspan(first_copied_);
    layers_.copy(trees, std::move(copies), spec_.layer_bytes);
    report_.copies = layers_.copies_problem();
    // A copy has an empty directory where something else is mounted.
    for (const Mount& mount : mounted()) {
      if (is_within_any(mount.point, trees) && !is_one_of(mount.point, trees) &&
          !is_absent(mount.point) && !is_one_of(mount.point, entry_.ruleset->left_out)) {
        entry_.trees.push_back({mount.point, mount.point, false});
      }
    }
  }

  const std::vector<Mount>& mounted() {
    if (start_.mounts != nullptr) return start_.mounts->mounts();
    if (own_mounts_.empty()) own_mounts_ = own_mounts();
    return own_mounts_;
  }

  // What is not there needs no protection.
  bool is_absent(const std::string& path) const { return temporary_.is_absent(path, write_); }

  static void remove_nested(std::vector<ResolvedPath>& trees) {
    std::sort(trees.begin(), trees.end(),
              [](const ResolvedPath& a, const ResolvedPath& b) { return a.path < b.path; });
    std::vector<ResolvedPath> outermost;
    for (ResolvedPath& tree : trees) {
      if (!is_within_any(tree.path, outermost)) outermost.push_back(std::move(tree));
    }
    trees = std::move(outermost);
  }

  // What hidden files read as, where that is not nothing.
  Status make_stand_ins() {
    for (std::size_t at = 0; at + 1 < spec_.stand_ins.size(); at += 2) {
      Status status = stand_in(spec_.stand_ins[at], spec_.stand_ins[at + 1], true);
      if (!status) return status;
    }
    for (const std::string& path : spec_.unreadable) {
      const std::string_view blank = blank_of(path);
      Status status = blank.empty() ? Status() : stand_in(path, blank, false);
      if (!status) return status;
    }
    return {};
  }

  Status stand_in(const std::string& asked, std::string_view text, bool wanted) {
    const Lookups::Found& found = lookups_.find(asked, "stand_ins");
    const std::string& target = found.path;
    if (!S_ISREG(found.type) || is_absent(target) || !is_granted(target) || stands_in(target)) {
      return {};
    }
    const TemporaryGroup* const group = report_.mount_namespace ? held_.group() : nullptr;
    const auto file = group != nullptr ? group->text_file(text) : std::nullopt;
    auto source = file ? resolve_path(*file, "stand_ins") : std::optional<ResolvedPath>();
    if (!source) return source.status();
    if (*source) {
      stand_ins_.push_back({std::move(**source), target});
    } else if (wanted) {
      report_.unprotected.push_back(shortened(asked) +
                                    " is hidden whole: its settings without tokens cannot be "
                                    "shown here");
    }
    return {};
  }

  bool stands_in(const std::string& path) const {
    return std::any_of(stand_ins_.begin(), stand_ins_.end(),
                       [&path](const StandIn& each) { return each.target == path; });
  }

  Status build_ruleset() {
    // An instance of its own would hide the run's own terminal.
    entry_.private_terminals =
        report_.mount_namespace && support_.private_terminals && !start_.has_terminal;
    std::vector<std::string> devices = graphics_devices();
    devices.insert(devices.end(), kDevices.begin(), kDevices.end());
    devices.insert(devices.end(), devices_.begin(), devices_.end());
    if (!entry_.private_terminals) {
      report_.unprotected.push_back("terminals of the same user, below /dev/pts, can be opened");
      devices.push_back("/dev/pts");
    }
    std::vector<std::string> hidden = spec_.unreadable;
    // What is hidden there exists or does not; and programs that run long need what others replace
    // (resolv.conf). A mount covers it.
    if (report_.mount_namespace) {
      std::erase_if(hidden, [](const std::string& path) { return is_within(path, "/etc"); });
    }
    std::vector<const UniqueFd*> own_write, own_read;
    std::erase_if(hidden, [&](const std::string& path) {
      return is_absent(path) && is_absent(lookups_.find(path, "unreadable").way);
    });
    for (const auto& each : temporary_.mounted) {
      hidden.push_back(each.directory->target);
      (each.writable ? own_write : own_read).push_back(&each.directory->fd);
    }
    for (const ResolvedPath& tree : temporary_.shown) own_read.push_back(&tree.fd);
    for (const StandIn& each : stand_ins_) own_read.push_back(&each.source.fd);
    if (!made_.temporary_directory_.empty()) {
      for (const auto& directory : held_.group()->directories()) own_write.push_back(&directory.fd);
    }
    Rulesets once;
    auto ruleset =
        (start_.rulesets != nullptr ? *start_.rulesets : once)
            .get({support_.landlock_abi, spec_.network, read_, write_, devices, own_write, own_read,
                  hidden, &lookups_, start_.mounts, layers_.size() + 1});
    if (!ruleset) return ruleset.status();
    entry_.ruleset = std::move(*ruleset);
    for (const std::string& mount : entry_.ruleset->left_out) {
      report_.unprotected.push_back(shortened(mount) +
                                    " cannot be read: its file system may not answer");
    }
    for (const std::string& directory : entry_.ruleset->whole) {
      report_.unprotected.push_back(shortened(directory) +
                                    " has too many names: what is hidden in it and does not exist "
                                    "yet can be read once it does");
    }
    return {};
  }

  // Whether this kernel and these file systems allow it, which only a try shows.
  bool can_layer(const MountedLayer& layer) {
    static std::map<std::pair<std::string, bool>, bool> known;
    const auto [found, is_new] =
        known.try_emplace({layer.lower.back(), entry_.is_in_user_namespace()});
    if (!is_new) return found->second;
    auto tried = std::make_unique<SandboxEntry>();
    tried->user_namespace = entry_.user_namespace;
    tried->namespaces = entry_.namespaces & ~kernel::kCloneNewNet;
    tried->uid_map = entry_.uid_map;
    tried->gid_map = entry_.gid_map;
    tried->ruleset = entry_.ruleset;
    tried->layers = {layer};
    tried->layer_fds.resize(1);
    return found->second = can_enter_namespaces(PreparedSandbox(std::move(tried)));
  }

  bool is_granted(const std::string& path) const {
    return is_within_any(path, read_) || is_within_any(path, write_) ||
           is_within_any(path, temporary_.shown);
  }

  // Without a mount namespace; elsewhere the ruleset has left it out.
  bool stays_readable(const std::string& path) const {
    return is_within_any(path, write_) || is_within_any(path, entry_.ruleset->whole);
  }

  // Only a mount can keep a run from removing a placeholder.
  void hold_names() {
    if (!report_.mount_namespace) return;
    for (const std::string& name : spec_.occupied) {
      const Lookups::Found& found = lookups_.find(name, "occupied");
      const bool within = is_within_any(found.way, write_) && !found.link_is_within(write_);
      if (!within || is_absent(found.way)) continue;
      Placeholder held = Placeholder::hold(name);
      if (held) made_.placeholders_.push_back(std::move(held));
    }
    for (const std::string& name : spec_.claimed) {
      const Lookups::Found& found = lookups_.find(name, "claimed");
      const std::string& way = found.way;
      if (found.link_is_within(write_) || is_absent(way)) continue;
      Placeholder held = Placeholder::hold(way, true);
      if (held) {
        made_.placeholders_.push_back(std::move(held));
      } else if (::access(way.c_str(), F_OK) != 0 && errno == ENOENT) {
        report_.unprotected.push_back(shortened(way) +
                                      " does not exist yet: sockets that are made there can be "
                                      "connected to");
      }
    }
    lookups_.look_again();
  }

  void resolve_protected() {
    hold_names();
    for (const std::string& asked : spec_.unreadable) {
      const Lookups::Found& path = lookups_.find(asked, "unreadable");
      const std::string& place = path.place();
      if (is_absent(place)) continue;
      if (path.exists()) unreadable_.push_back(path);
      // What reads files that are empty instead may not take it that there are none.
      if (path.exists() && !path.is_directory()) continue;
      const std::size_t slash =
          path.exists() ? std::string::npos : place.find('/', path.nearest.size() + 1);
      absent_in_layers_.push_back({place, place.substr(0, slash)});
    }
    resolve_kept(spec_.unwritable, "unwritable", unwritable_);
    resolve_kept(spec_.occupied, "occupied", unwritable_);
    std::vector<std::string> unmounted;  // gone since the list was read
    for (const Mount& mount : mounted()) {
      if (!configures_kernel(mount.type) || !is_within_any(mount.point, write_)) continue;
      add_kept(mount.point, "write", unwritable_, unmounted);
    }
    resolve_kept(spec_.pinned, "pinned", pinned_);
  }

  void resolve_kept(const std::vector<std::string>& paths, const char* field,
                    std::vector<KnownPath>& kept) {
    std::vector<std::string> missing;
    for (const std::string& asked : paths) add_kept(without_slash(asked), field, kept, missing);
    // These can be created, since nothing around them is protected as a whole.
    if (report_.mount_namespace) {
      std::erase_if(missing, [&](const std::string& asked) {
        const Lookups::Found& found = lookups_.find(asked, field);
        return !found.link_is_within(write_) &&
               (is_within_any(found.way, unwritable_) || is_within_any(found.way, unreadable_));
      });
    }
    if (!missing.empty()) report_.unprotected.push_back(missing_sentence(missing));
  }

  // Outside the write trees nothing can be changed anyway: neither the target of a path nor the
  // links on the way.
  void add_kept(const std::string& asked, const char* field, std::vector<KnownPath>& kept,
                std::vector<std::string>& missing) {
    const Lookups::Found& path = lookups_.find(asked, field);
    if (is_absent(path.place())) return;
    if (!path.exists()) {
      const bool matters = is_within_any(path.way, write_) || path.link_is_within(write_);
      if (matters) missing.push_back(asked);
      return;
    }
    const bool inside = is_within_any(path.path, write_);
    if (path.through_link() && path.link_is_within(write_)) {
      report_.unprotected.push_back(shortened(asked) + " is reached through a link: " +
                                    (inside
                                         ? shortened(path.path) + " is protected, the link is not"
                                         : "the link can be replaced"));
    }
    if (inside) kept.push_back(path);
  }

  void add_trees() {
    auto& trees = entry_.trees;
    for (const auto& [directory, writable] : temporary_.mounted) {
      trees.push_back({directory->source, directory->target, writable});
    }
    for (const ResolvedPath& tree : write_) trees.push_back({tree.path, tree.path, true});
    for (const ResolvedPath& tree : temporary_.shown)
      trees.push_back({tree.path, tree.path, false});
    for (const StandIn& each : stand_ins_) trees.push_back({each.source.path, each.target, false});
    std::sort(trees.begin(), trees.end(),
              [](const MountedTree& a, const MountedTree& b) { return a.target < b.target; });
    for (MountedTree& tree : trees) tree.may_be_gone = layers_.shows(tree.target);
    entry_.tree_fds.resize(trees.size());
  }

  void report_layers() {
    for (const auto& [path, first_missing] : absent_in_layers_) {
      if (is_one_of(path, unreadable_) || !layers_.shows(path) || layers_.hides(path)) continue;
      report_.unprotected.push_back(shortened(path) + " can be read once it exists");
    }
    std::erase_if(unreadable_, [this](const auto& each) { return layers_.hides(each.path); });
  }

  void add_covers() {
    add_trees();
    auto& covers = entry_.covers;
    for (const KnownPath& path : unreadable_) {
      // Landlock prevents reading what it does not grant, but it does not cover sockets.
      if (S_ISREG(path.type) && !is_granted(path.path)) continue;
      if (stands_in(path.path)) continue;
      covers.push_back({path.path,
                        path.is_directory() ? CoverKind::kHideDirectory : CoverKind::kHideFile,
                        layers_.shows(path.path)});
    }
    for (const KnownPath& path : unwritable_) {
      covers.push_back({path.path, CoverKind::kReadOnly});
      pin_above(path.path, write_, covers);
    }
    for (const KnownPath& path : pinned_) {
      covers.push_back({path.path, CoverKind::kPin});
      pin_above(path.path, write_, covers);
    }
    for (const std::string& path : temporary_.kept) {
      covers.push_back({path, CoverKind::kPin, true});
    }
    covers = needed_covers(std::move(covers));
  }

  void report_missing_mounts() {
    constexpr const char* kWhy = ": no mount namespace here";
    if (!spec_.layered.empty()) {
      report_.caches = std::string("caches can be read, and not changed") + kWhy;
    }
    if (spec_.copied) {
      report_.copies =
          std::string("the workspace can only be read, what is in $TMPDIR can be changed") + kWhy;
    }
    const auto say = [this](const std::string& what) {
      report_.unprotected.push_back(what + kWhy);
    };
    for (const KnownPath& path : unreadable_) {
      if (S_ISSOCK(path.type) && spec_.network != SandboxNetwork::kOff) {
        say(path.path + " can be connected to");
      } else if (stays_readable(path.path)) {
        say(path.path + " can be read");
      } else if (path.is_directory() && is_granted(path.path)) {
        say("the names in " + path.path + " can be listed");
      }
    }
    for (const KnownPath& path : unwritable_) say(path.path + " can be changed");
    for (const KnownPath& path : pinned_) say(path.path + " can be moved or removed");
    say("System V memory and message queues of the same user can be used");
    say("modes, owners, times and extended attributes of files outside can be changed");
    if (support_.landlock_abi < kMinAbiTruncate) say("files outside can be truncated");
  }

  struct StandIn {
    ResolvedPath source;
    std::string target;
  };

  SandboxSpec spec_;
  const SandboxSupport& support_;
  const SandboxStart& start_;
  PreparedSandbox& made_;
  SandboxEntry& entry_;
  SandboxReport& report_;
  TemporaryHold& held_;
  TemporaryPlan temporary_;
  Layers layers_{entry_, held_, [this](const MountedLayer& layer) { return can_layer(layer); }};
  std::size_t first_copied_ = 0;  // of what is shown
  std::vector<ResolvedPath> read_, write_;
  std::vector<KnownPath> unreadable_, unwritable_, pinned_;
  std::vector<std::string> devices_;              // that the profile names
  std::vector<Layers::Hidden> absent_in_layers_;  // those that are hidden, but for files
  std::vector<StandIn> stand_ins_;
  std::vector<Mount> own_mounts_;
  Lookups once_;
  Lookups& lookups_;
};

PreparedSandbox::PreparedSandbox(std::unique_ptr<SandboxEntry> entry) : entry_(std::move(entry)) {}

PreparedSandbox::~PreparedSandbox() = default;

Result<std::unique_ptr<PreparedSandbox>> PreparedSandbox::prepare(const SandboxSpec& spec,
                                                                  const SandboxSupport& support,
                                                                  const SandboxStart& start) {
  std::unique_ptr<PreparedSandbox> prepared(new PreparedSandbox(std::make_unique<SandboxEntry>()));
  Status status = Preparation(spec, support, start, *prepared).run();
  if (!status) return status;
  return prepared;
}

}  // namespace gibbous
