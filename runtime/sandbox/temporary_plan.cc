#include "runtime/sandbox/temporary_plan.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "runtime/paths/walk.h"

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

std::vector<std::string> words_of(const SandboxStart& start) {
  std::vector<std::string> words;
  for (const char* const word : start.argv) {
    if (word != nullptr) words.emplace_back(word);
  }
  return words;
}

class Planner {
 public:
  Planner(const SandboxSpec& spec, const SandboxStart& start, std::vector<ResolvedPath>& write,
          TemporaryPlan& plan)
      : spec_(spec), start_(start), write_(write), plan_(plan) {}

  Status run(const TemporaryGroup& group) {
    for (const TemporaryDirectory& each : group.directories()) {
      targets_.push_back(each.target);
      plan_.mounted.push_back({&each, false});
    }
    take_write_trees();
    if (Status status = show_required(); !status) return status;
    show_named();
    return hold_mount_points();
  }

 private:
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
    std::erase_if(write_, [&](const ResolvedPath& tree) {
      return std::find(targets_.begin(), targets_.end(), tree.path) != targets_.end();
    });
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
    std::string path(variable.substr(std::min(equals + 1, variable.size())));
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const std::string real = follow(path, {}).path;
    const TemporaryPlan::Mounted* mounted = path.starts_with('/') ? around(real) : nullptr;
    if (mounted == nullptr) return;
    std::erase_if(write_, [&](const ResolvedPath& tree) { return tree.path == real; });
    const std::string inside = in_session(*mounted, real);
    constexpr mode_t kForUser = 0700;
    for (std::size_t slash = mounted->directory->source.size(); slash != std::string::npos;) {
      slash = inside.find('/', slash + 1);
      // A link that a run made there leads nowhere else: the run is where it leads.
      (void)::mkdir(inside.substr(0, slash).c_str(), kForUser);
    }
  }

  // What a run has to see wherever it is: its directory, what the profile grants, what its
  // environment is made of.
  Status show_required() {
    std::vector<std::string> paths = spec_.shown;
    for (const std::string& path : spec_.read) paths.push_back(path);
    paths.emplace_back(start_.directory);
    for (const char* const variable : start_.env) {
      if (variable != nullptr) add_directories(variable, paths);
    }
    for (const std::string& path : paths) {
      auto resolved = resolve_path(path, "temporary");
      if (!resolved) return resolved.status();
      if (*resolved) show(std::move(**resolved));
    }
    return {};
  }

  void add_directories(std::string_view variable, std::vector<std::string>& paths) const {
    const std::string_view name = variable.substr(0, std::min(variable.find('='), variable.size()));
    if (is_made_inside(name) || name.find("SOCK") != std::string_view::npos ||
        !names_temporary(variable)) {
      return;
    }
    for (const std::string& path : named_below(variable, targets_)) {
      struct stat info {};
      if (!answers(path) || ::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) continue;
      const std::string above = parent_of(path);
      paths.push_back(is_program_directory(path) && around(above) != nullptr ? above : path);
    }
  }

  void show_named() {
    for (const std::string& word : words_of(start_)) {
      if (!names_temporary(word)) continue;
      for (const std::string& path : named_below(word, targets_)) show_if_only_outside(path);
    }
  }

  bool answers(const std::string& path) const {
    if (start_.mounts == nullptr || start_.mounts->all_local()) return true;
    const paths::Walked walked = paths::walk(path, start_.mounts);
    return walked.reached == paths::Reached::kMissing ||
           (walked.reached == paths::Reached::kFound && start_.mounts->is_local(walked.mount));
  }

  // The session's own file comes first.
  void show_if_only_outside(const std::string& named) {
    if (!answers(named)) return;
    auto found = resolve_path(named, "temporary");
    // What is about to be made has a directory.
    if (!found || !*found) found = resolve_path(parent_of(named), "temporary");
    if (!found || !*found) return;
    const std::string& real = (*found)->path;
    const TemporaryPlan::Mounted* mounted = around(real);
    if (mounted == nullptr || is_visible(real)) return;
    const bool is_directory = (*found)->is_directory();
    if (!is_directory && !S_ISREG((*found)->type) && !S_ISFIFO((*found)->type)) return;
    // A script needs what is beside it.
    const std::string above = parent_of(real);
    if (!is_directory && around(above) != nullptr) {
      auto beside = resolve_path(above, "temporary");
      if (beside && *beside) {
        optional_.push_back(above);
        return show(std::move(**beside));
      }
    }
    optional_.push_back(real);
    show(std::move(**found));
  }

  bool is_visible(const std::string& path) const {
    return is_within_any(path, write_) || is_within_any(path, plan_.shown);
  }

  void show(ResolvedPath tree) {
    const TemporaryPlan::Mounted* mounted = around(tree.path);
    if (mounted == nullptr || is_visible(tree.path) || is_hidden(tree.path)) return;
    (mounted->writable ? write_ : plan_.shown).push_back(std::move(tree));
  }

  bool is_hidden(const std::string& path) const {
    // No group sees another's.
    if (path.find("/gibbous-" + std::to_string(::geteuid()) + "/") != std::string::npos ||
        path.ends_with("/gibbous-" + std::to_string(::geteuid()))) {
      return true;
    }
    return std::any_of(spec_.unreadable.begin(), spec_.unreadable.end(),
                       [&](const std::string& hidden) { return is_within(path, hidden); });
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
      const bool below =
          std::any_of(outermost.begin(), outermost.end(),
                      [&](const std::string& tree) { return is_within(path, tree); });
      if (below) continue;
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
      std::erase_if(*list, [&](const ResolvedPath& tree) {
        return std::find(dropped.begin(), dropped.end(), tree.path) != dropped.end();
      });
    }
    return {};
  }

  enum class Place : std::uint8_t { kHeld, kSessions, kTaken };

  Place hold_mount_point(const std::string& path, bool is_directory) {
    const TemporaryPlan::Mounted& mounted = *around(path);
    const std::string inside = in_session(mounted, path);
    const std::string& source = mounted.directory->source;
    if (plan_.hold.add_mount_point(source, inside, is_directory)) return Place::kHeld;
    if (std::find(optional_.begin(), optional_.end(), path) != optional_.end()) {
      return Place::kSessions;
    }
    // A directory that a run has made there serves as well.
    struct stat info {};
    const bool fits = is_directory && ::lstat(inside.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    return fits ? Place::kHeld : Place::kTaken;
  }

  const SandboxSpec& spec_;
  const SandboxStart& start_;
  std::vector<ResolvedPath>& write_;
  TemporaryPlan& plan_;
  std::vector<std::string> targets_;
  std::vector<std::string> optional_;  // named only
};

}  // namespace

bool TemporaryPlan::is_absent(const std::string& path, std::span<const ResolvedPath> write) const {
  const bool inside = std::any_of(mounted.begin(), mounted.end(), [&](const Mounted& each) {
    return is_within(path, each.directory->target);
  });
  return inside && !is_within_any(path, write) && !is_within_any(path, shown);
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
  if (Status status = Planner(spec, start, write, plan).run(**group); !status) return status;
  return plan;
}

TemporaryHold link_temporary(const std::string& group, const SandboxStart& start) {
  TemporaryHold hold;
  std::vector<std::string> directories;
  for (const char* const each : kTemporaryDirectories) directories.emplace_back(each);
  for (const std::string& word : words_of(start)) {
    if (!names_temporary(word)) continue;
    for (const std::string& named : named_below(word, directories)) {
      // The first name on the way that the machine does not have.
      struct stat info {};
      for (std::size_t slash = named.find('/', 1); slash != std::string::npos;) {
        slash = named.find('/', slash + 1);
        const std::string path = named.substr(0, slash);
        if (::lstat(path.c_str(), &info) == 0) continue;
        const auto inside = temporary_path(group, path);
        if (inside && ::lstat(inside->c_str(), &info) == 0) hold.add_link(path, *inside);
        break;
      }
    }
  }
  return hold;
}

}  // namespace gibbous
