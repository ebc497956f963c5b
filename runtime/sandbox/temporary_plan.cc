#include "runtime/sandbox/temporary_plan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"
#include "runtime/sandbox/temporary_base.h"

namespace gibbous {
namespace {

// Where programs put what they make: it is made in the session's directories, not shown.
constexpr std::array<std::string_view, 5> kMadeInside = {"TMPDIR", "TMP", "TEMP", "TEMPDIR",
                                                         "XDG_RUNTIME_DIR"};

bool is_made_inside(std::string_view variable) {
  return std::find(kMadeInside.begin(), kMadeInside.end(), variable) != kMadeInside.end();
}

bool is_program_directory(std::string_view path) {
  return path.ends_with("/bin") || path.ends_with("/sbin");
}

constexpr std::size_t kMostLinked = 64;

class Planner {
 public:
  Planner(const SandboxSpec& spec, const SandboxStart& start, std::vector<ResolvedPath>& write,
          std::vector<std::string>& gaps, TemporaryPlan& plan)
      : spec_(spec), start_(start), write_(write), gaps_(gaps), plan_(plan) {}

  Status run(const TemporaryGroup& group) {
    for (const TemporaryDirectory& each : group.directories()) {
      if (is_workspace(each.target)) {
        gaps_.push_back(each.target + " is the workspace, and not the session's own");
        continue;
      }
      targets_.push_back(each.target);
      plan_.mounted.push_back({&each, false});
    }
    spelled_ = targets_;
    for (const char* const each : kTemporaryDirectories) {
      if (!is_one_of(each, targets_)) spelled_.emplace_back(each);
    }
    take_write_trees();
    show_required();
    // In a home or a workspace that is the machine's, they are the machine's, too.
    for (ResolvedPath& tree : made_inside_) {
      if (is_within_any(tree.path, plan_.shown)) write_.push_back(std::move(tree));
    }
    show_named();
    for (const std::string& path : start_.sockets) show_way(path, Want::kSocket);
    if (Status status = hold_mount_points(); !status) return status;
    keep_mount_points();
    return {};
  }

 private:
  static constexpr std::size_t kMostNamed = 512;  // places in words and variables
  static constexpr int kMostLinks = 8;
  static constexpr std::size_t kMostKept = 256;

  bool is_workspace(const std::string& target) const {
    return std::any_of(spec_.shown.begin(), spec_.shown.end(), [&](const std::string& path) {
      return answers(path) && follow_links(path) == target;
    });
  }

  // Null: the path is not strictly inside one.
  const TemporaryPlan::Mounted* around(const std::string& path) const {
    for (const auto& each : plan_.mounted) {
      const std::string& target = each.directory->target;
      if (path != target && is_within(path, target)) return &each;
    }
    return nullptr;
  }

  std::string in_session(const TemporaryPlan::Mounted& mounted, const std::string& path) const {
    return mounted.directory->source + path.substr(mounted.directory->target.size());
  }

  // A write tree that is one of the directories, or around it, makes that one writable.
  void take_write_trees() {
    for (auto& each : plan_.mounted) {
      each.writable = is_within_any(each.directory->target, write_);
    }
    std::erase_if(write_, [&](const auto& tree) { return is_one_of(tree.path, targets_); });
    // The user's sockets are where the user's temporary files are.
    const bool writes = !plan_.mounted.empty() && plan_.mounted.front().writable;
    for (auto& each : plan_.mounted) {
      each.writable = each.writable || (writes && each.directory->is_runtime);
    }
    for (const char* const variable : start_.env) {
      if (variable != nullptr) make_inside(variable);
    }
  }

  void make_inside(std::string_view variable) {
    const std::size_t equals = std::min(variable.find('='), variable.size());
    if (!is_made_inside(variable.substr(0, equals))) return;
    const auto path =
        without_slash(std::string(variable.substr(std::min(equals + 1, variable.size()))));
    if (!path.starts_with('/') || path.size() >= kMaxSandboxPathBytes || !answers(path)) return;
    const std::string real = follow_links(path);
    const TemporaryPlan::Mounted* mounted = around(real);
    if (mounted == nullptr) return;
    std::erase_if(write_, [&](ResolvedPath& tree) {
      if (tree.path != real) return false;
      made_inside_.push_back(std::move(tree));
      return true;
    });
    UniqueFd at(::fcntl(mounted->directory->fd.get(), F_DUPFD_CLOEXEC, 0));
    std::string_view rest(real);
    rest.remove_prefix(mounted->directory->target.size() + 1);
    // What a run has put there leads nowhere else.
    while (at && !rest.empty()) {
      const std::string name(rest.substr(0, rest.find('/')));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (::mkdirat(at.get(), name.c_str(), kForUser) == 0) {
        const std::size_t end = real.size() - rest.size() - (rest.empty() ? 0 : 1);
        const std::size_t begin = mounted->directory->target.size() + 1;
        note_made(*mounted->directory, real.substr(begin, end - begin));
      }
      at = open_below(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    }
  }

  void note_made(const TemporaryDirectory& directory, std::string path) {
    const auto& all = plan_.hold.group()->directories();
    plan_.hold.group()->note_made(static_cast<std::size_t>(&directory - all.data()),
                                  std::move(path));
  }

  // What a run has to see wherever it is: its directory, what the profile grants, what its
  // environment is made of.
  void show_required() {
    for (const std::string& path : spec_.shown) show_way(path, Want::kTree);
    for (const std::string& path : spec_.read) show_way(path, Want::kTree);
    show_way(start_.directory, Want::kTree);
    for (const char* const variable : start_.env) {
      if (variable != nullptr) show_directories(variable);
    }
  }

  void show_directories(std::string_view variable) {
    const std::string_view name = variable.substr(0, std::min(variable.find('='), variable.size()));
    if (is_made_inside(name) || name.find("SOCK") != std::string_view::npos ||
        !names_temporary(variable)) {
      return;
    }
    for (const std::string& path : named_below(variable, spelled_, budget_)) {
      const std::string above = parent_of(path);
      const bool of_programs = is_program_directory(path) && around(above) != nullptr;
      show_way(of_programs ? above : path, Want::kDirectory);
    }
  }

  void show_named() {
    for (const char* const word : start_.argv) {
      if (word == nullptr || !names_temporary(word)) continue;
      for (const std::string& path : named_below(word, spelled_, budget_)) {
        show_way(path, Want::kNamed);
      }
    }
  }

  bool answers(const std::string& path) const {
    if (start_.mounts == nullptr || start_.mounts->all_local()) return true;
    const paths::Walked walked = paths::walk(path, start_.mounts);
    return walked.reached == paths::Reached::kMissing ||
           (walked.reached == paths::Reached::kFound && start_.mounts->is_local(walked.mount));
  }

  enum class Want : std::uint8_t {
    kTree,       // whatever it is
    kDirectory,  // a directory only
    kSocket,     // a socket only; the session's own file comes first
    kNamed       // a file with what is beside it; the session's own comes first
  };

  // Shows what is at the path, and the links on the way to it.
  void show_way(std::string path, Want want, int links = kMostLinks) {
    if (!path.starts_with('/') || path.size() >= kMaxSandboxPathBytes) return;
    for (const char* const spelled : kTemporaryDirectories) {
      if (is_within(path, spelled)) path = follow_links(spelled) + path.substr(strlen(spelled));
    }
    const TemporaryPlan::Mounted* mounted = around(path);
    // What is shown as the workspace answers: the start was tried.
    if (mounted == nullptr || (want != Want::kTree && !answers(path))) return;
    const std::string& target = mounted->directory->target;
    for (std::size_t slash = target.size(); slash != std::string::npos;) {
      slash = path.find('/', slash + 1);
      const std::string name = path.substr(0, slash);
      struct stat info {};
      if (::lstat(name.c_str(), &info) != 0) {
        // What is about to be made has a directory.
        return want == Want::kNamed ? show(parent_of(name), want) : void();
      }
      if (S_ISLNK(info.st_mode)) {
        if (links > 0) follow_link(*mounted, name, slash, path, want, links);
        return;
      }
      if (slash != std::string::npos) continue;
      if (want == Want::kSocket) return S_ISSOCK(info.st_mode) ? show(path, want) : void();
      if (S_ISDIR(info.st_mode)) return show(path, want);
      if (want == Want::kDirectory || !(S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode))) return;
      const std::string above = parent_of(path);
      show(want == Want::kNamed && around(above) != nullptr ? above : path, want);
    }
  }

  void follow_link(const TemporaryPlan::Mounted& mounted, const std::string& name,
                   std::size_t slash, const std::string& path, Want want, int links) {
    std::array<char, kMaxSandboxPathBytes> bytes{};
    const ssize_t size = ::readlink(name.c_str(), bytes.data(), bytes.size());
    if (size <= 0) return;
    const std::string text(bytes.data(), static_cast<std::size_t>(size));
    const std::string above = parent_of(name);
    if (above == mounted.directory->target) {
      plan_.hold.add_link(in_session(mounted, name), text);
    } else {
      show(above, want);
    }
    const std::string next = (text.starts_with('/') ? text : above + "/" + text) +
                             (slash == std::string::npos ? "" : path.substr(slash));
    show_way(std::filesystem::path(next).lexically_normal().string(), want, links - 1);
  }

  bool is_visible(const std::string& path) const {
    return is_within_any(path, write_) || is_within_any(path, plan_.shown);
  }

  void show(const std::string& path, Want want) {
    const TemporaryPlan::Mounted* mounted = around(path);
    if (mounted == nullptr || is_visible(path) || is_hidden(path) || !is_granted(path)) return;
    auto resolved = resolve_path(path, "temporary");
    if (!resolved || !*resolved || (*resolved)->path != path) return;
    if (want == Want::kNamed || want == Want::kSocket) optional_.push_back(path);
    // The environment makes a home and programs visible; that /tmp may be written says nothing of
    // them.
    const bool writable = mounted->writable && want != Want::kDirectory && want != Want::kSocket;
    (writable ? write_ : plan_.shown).push_back(std::move(**resolved));
  }

  bool is_granted(const std::string& path) const {
    return is_within_any(path, spec_.read) || is_within_any(path, spec_.write);
  }

  bool is_hidden(const std::string& path) const {
    // No group sees another's.
    return is_temporary_base(path) || is_within_any(path, spec_.unreadable);
  }

  Status hold_mount_points() {
    std::erase_if(plan_.shown,
                  [&](const ResolvedPath& tree) { return is_within_any(tree.path, write_); });
    std::map<std::string, bool> trees;  // parents first; whether it is a directory
    for (const auto* const list : {&write_, &plan_.shown}) {
      for (const ResolvedPath& tree : *list) {
        if (around(tree.path) != nullptr) trees[tree.path] = tree.is_directory();
      }
    }
    std::vector<std::string> outermost, dropped;
    for (const auto& [path, is_directory] : trees) {
      if (is_within_any(path, outermost)) continue;
      switch (hold_mount_point(path, is_directory)) {
        case Place::kHeld:
          outermost.push_back(path);
          break;
        case Place::kSessions:
          dropped.push_back(path);
          break;
        case Place::kTaken:
          return Status::error("sandbox_unavailable", "temporary: a run has made " +
                                                          in_session(*around(path), path) +
                                                          ", which is in the place of " + path);
      }
    }
    for (auto* const list : {&write_, &plan_.shown}) {
      std::erase_if(*list, [&](const auto& tree) { return is_one_of(tree.path, dropped); });
    }
    return {};
  }

  // A mount ends when a program removes the directory under it, unless it is mounted over there,
  // too.
  void keep_mount_points() {
    for (const auto& [point, runs] : plan_.hold.group()->mount_points()) {
      if (plan_.kept.size() == kMostKept) {
        gaps_.push_back(
            "the session has many paths of this machine's temporary directories: not "
            "all of them are protected from being removed");
        return;
      }
      for (const TemporaryPlan::Mounted& each : plan_.mounted) {
        const std::string& source = each.directory->source;
        if (!each.writable || !is_within(point, source)) continue;
        std::string path = each.directory->target + point.substr(source.size());
        const bool own = is_within_any(path, write_) || is_within_any(path, plan_.shown);
        if (!own) plan_.kept.push_back(std::move(path));
      }
    }
  }

  enum class Place : std::uint8_t { kHeld, kSessions, kTaken };

  Place hold_mount_point(const std::string& path, bool is_directory) {
    const TemporaryPlan::Mounted& mounted = *around(path);
    const std::string inside = in_session(mounted, path);
    const std::string& source = mounted.directory->source;
    if (plan_.hold.add_mount_point(source, inside, is_directory)) return Place::kHeld;
    if (is_one_of(path, optional_)) return Place::kSessions;
    // A directory that a run has made there serves as well; anything else goes away.
    struct stat info {};
    if (is_directory && ::lstat(inside.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
      plan_.hold.note_points({inside});
      return Place::kHeld;
    }
    const bool cleared = TemporaryHold::clear_way(source, inside) &&
                         plan_.hold.add_mount_point(source, inside, is_directory);
    return cleared ? Place::kHeld : Place::kTaken;
  }

  const SandboxSpec& spec_;
  const SandboxStart& start_;
  std::vector<ResolvedPath>& write_;
  std::vector<std::string>& gaps_;
  TemporaryPlan& plan_;
  std::vector<std::string> targets_;
  std::vector<std::string> spelled_;   // and by their other names
  std::vector<std::string> optional_;  // named only
  std::vector<ResolvedPath> made_inside_;
  std::size_t budget_ = kMostNamed;
};

}  // namespace

bool TemporaryPlan::is_absent(const std::string& path, std::span<const ResolvedPath> write) const {
  return std::any_of(mounted.begin(), mounted.end(), [&](const Mounted& each) {
    const std::string& target = each.directory->target;
    const auto shows = [&](const ResolvedPath& tree) {
      return tree.path != target && is_within(tree.path, target) && is_within(path, tree.path);
    };
    return is_within(path, target) && std::none_of(write.begin(), write.end(), shows) &&
           std::none_of(shown.begin(), shown.end(), shows);
  });
}

Result<TemporaryPlan> plan_temporary(const SandboxSpec& spec, const SandboxStart& start,
                                     std::vector<ResolvedPath>& write,
                                     std::vector<std::string>& gaps) {
  auto group = start.temporary != nullptr ? start.temporary->get(spec.temporary_group)
                                          : TemporaryGroup::make(spec.temporary_group);
  if (!group) return group.status();
  gaps.insert(gaps.end(), (*group)->failed().begin(), (*group)->failed().end());
  TemporaryPlan plan;
  plan.hold = TemporaryHold(*group);
  if (Status status = Planner(spec, start, write, gaps, plan).run(**group); !status) return status;
  return plan;
}

TemporaryHold link_temporary(const std::string& group, const SandboxStart& start) {
  TemporaryHold hold;
  const std::vector<std::string> directories(kTemporaryDirectories.begin(),
                                             kTemporaryDirectories.end());
  std::size_t budget = kMostLinked;
  for (const char* const word : start.argv) {
    if (word == nullptr || !names_temporary(word)) continue;
    for (const std::string& named : named_below(word, directories, budget)) {
      const bool local = start.mounts == nullptr || start.mounts->all_local();
      const paths::Walked walked = paths::walk(named, local ? nullptr : start.mounts);
      if (walked.reached != paths::Reached::kMissing) continue;
      // The first name on the way that the machine does not have.
      struct stat info {};
      std::size_t slash = named.find('/', 1);
      std::string path;
      do {
        slash = named.find('/', slash + 1);
        path = named.substr(0, slash);
      } while (slash != std::string::npos && ::lstat(path.c_str(), &info) == 0);
      const UniqueFd inside = open_temporary(group, path);
      const bool fits = inside && ::fstat(inside.get(), &info) == 0 && !S_ISLNK(info.st_mode);
      if (fits) hold.add_link(path, *temporary_path(group, path));
    }
  }
  return hold;
}

}  // namespace gibbous
