#include "bindings/host/repositories.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"
#include "runtime/runs/path_lookups.h"

namespace gibbous::host {
namespace {

// Where more were changed, the whole workspace counts.
constexpr std::size_t kMostInWorkspace = 128;
constexpr std::size_t kMostNamed = 32;
constexpr std::size_t kMostWorkspaces = 16;  // that no run is in
constexpr const char* kAbsent = "-";
constexpr const char* kWhole = "*";  // stands for many, and goes when a person removes it
// The kernel's times of files are that much behind the clock.
constexpr std::int64_t kTickMs = 10;

using Things = std::map<std::string, paths::Obeyed>;

Things things_in(const paths::GitPlaces& places, const std::string& workspace) {
  Things all;
  for (const paths::Obeyed& each : places.obeyed) all[each.path] = each;
  const auto elsewhere = places.variables.find("GIT_ELSEWHERE");
  if (elsewhere != places.variables.end() &&
      std::count(elsewhere->second.begin(), elsewhere->second.end(), paths::kAnywhere) > 0) {
    const std::string any = workspace + "//";
    all[any] = {any, "many", std::numeric_limits<std::int64_t>::max(), true};
  }
  return all;
}

// "/home/ann/app//" of what lies there.
std::string repository_of(const std::string& path) {
  return path.substr(0, path.find("//") + 2);
}

// What is another one than before, and has changed since: the repositories first, which stand for
// what is in them.
std::vector<trust::Changed> compare(const std::string& workspace, const Things& before,
                                    const Things& now, std::int64_t since) {
  std::vector<trust::Changed> all;
  std::set<std::string> made;
  for (const bool repositories : {true, false}) {
    for (const auto& [path, thing] : now) {
      const auto old = before.find(path);
      if (thing.is_repository != repositories || thing.changed < since ||
          (old != before.end() && old->second.hash == thing.hash)) {
        continue;
      }
      const bool is_part = std::any_of(made.begin(), made.end(), [&at = path](const auto& each) {
        return at.starts_with(each);
      });
      if (is_part) continue;
      all.push_back({workspace, old == before.end() ? kAbsent : old->second.hash, path});
      if (!repositories) continue;
      const std::string around = repository_of(path);
      made.insert(path == around || path == around + ".git" ? around : path + "/");
    }
  }
  return all;
}

bool apply(std::vector<trust::Changed>& all, const std::string& workspace,
           const paths::GitPlaces& places, const std::vector<trust::Changed>& changed) {
  const Things now = things_in(places, workspace);
  std::set<std::string> there;
  for (const auto& [path, thing] : now) {
    if (thing.is_repository) there.insert(repository_of(path));
  }
  bool differs = false;
  for (const trust::Changed& each : changed) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const trust::Changed& other) {
      return other.workspace == workspace && other.path == each.path;
    });
    if (known) continue;
    all.push_back(each);
    differs = true;
  }
  // Also what has just become as it was.
  differs = std::erase_if(all,
                          [&](const trust::Changed& each) {
                            if (each.workspace != workspace || each.before == kWhole) return false;
                            const auto found = now.find(each.path);
                            if (found != now.end()) return found->second.hash == each.before;
                            return places.complete || there.contains(repository_of(each.path));
                          }) > 0 ||
            differs;
  const auto is_here = [&](const trust::Changed& each) { return each.workspace == workspace; };
  if (std::count_if(all.begin(), all.end(), is_here) > std::ptrdiff_t{kMostInWorkspace}) {
    std::erase_if(all, is_here);
    all.push_back({workspace, kWhole, workspace + "//"});
  }
  return differs;
}

// "vendor/lib/.git/config core.hookspath" of "/home/ann/app//vendor/lib…" in /home/ann/app; of a
// repository, its directory.
std::string name_of(const trust::Changed& changed, bool is_repository) {
  std::string path = changed.path;
  path.erase(path.find("//") + 1, 1);
  if (is_repository && path.ends_with("/.git")) path.resize(path.size() - 5);
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return std::filesystem::path(path).lexically_relative(changed.workspace).string();
}

}  // namespace

Repositories::Repositories(std::string state_directory, StateGate& gate, lua::Context& context,
                           std::function<void(const std::string&)> on_problem)
    : state_directory_(std::move(state_directory)),
      gate_(gate),
      context_(context),
      runs_(*context.runs),
      on_problem_(std::move(on_problem)) {
  refresh();
  context_.engine->host.learner = this;
  context_.git_places = [this](const std::string& workspace, Walked then) {
    find(workspace, std::move(then));
  };
}

Repositories::~Repositories() {
  if (runs_.paths().is_open()) look_at_once();
  context_.git_places = nullptr;
  context_.engine->host.learner = nullptr;
}

// --- Walks ---------------------------------------------------------------------------------------

bool Repositories::is_watched(const Run& run) {
  const auto& sandbox = run.spec().sandbox;
  return sandbox && !sandbox->repositories_below.empty() && run.pid() != 0;
}

// The first start of runs that go on, or whose changes are not known yet.
std::optional<std::int64_t> Repositories::since(const std::string& workspace) const {
  const auto known = workspaces_.find(workspace);
  auto first = known == workspaces_.end() ? std::nullopt : known->second.since;
  for (const Run* run : runs_.list()) {
    if (run->ended() || !is_watched(*run)) continue;
    const SandboxSpec& sandbox = *run->spec().sandbox;
    if (sandbox.repositories_below != workspace) continue;
    first = std::min(first.value_or(sandbox.repositories_since), sandbox.repositories_since);
  }
  return first;
}

void Repositories::find(const std::string& workspace, Walked then) {
  Workspace& here = workspaces_[workspace];
  const bool answers = paths::answers_at_once(workspace, *runs_.paths().mounts()->now());
  if (answers && here.last && paths::still_holds(*here.last, workspace)) return then(here.last);
  Walked given = [this, workspace, then = std::move(then)](const Places& found) {
    // Helpers are late where there is much to do.
    const bool late = !found && paths::answers_at_once(workspace, *runs_.paths().mounts()->now());
    then(late ? own_places(workspace) : found);
  };
  if (here.is_walking && !here.last) return here.served.push_back(std::move(given));
  walk(workspace, std::move(given));
}

// What is to be compared later, when nothing was yet.
Repositories::Places Repositories::own_places(const std::string& workspace) {
  paths::GitPlaces own = paths::find_own_git_places(workspace);
  own.complete = false;
  own.obeyed = paths::find_obeyed(own, workspace);
  auto places = std::make_shared<const paths::GitPlaces>(std::move(own));
  Workspace& here = workspaces_[workspace];
  if (!here.last) here.last = places;
  return places;
}

void Repositories::walk(const std::string& workspace, Walked then) {
  if (workspaces_.size() > kMostWorkspaces) {
    std::erase_if(workspaces_, [&](const auto& each) {
      return each.first != workspace && !each.second.is_walking && !since(each.first);
    });
  }
  Workspace& here = workspaces_[workspace];
  here.waiting.push_back(std::move(then));
  if (!here.is_walking) begin_walk(workspace);
}

void Repositories::begin_walk(const std::string& workspace) {
  Workspace& here = workspaces_[workspace];
  here.is_walking = true;
  here.served = std::exchange(here.waiting, {});
  // One helper, at most, hangs at a file system that does not answer.
  const paths::Walked reached = paths::walk(workspace, runs_.paths().mounts()->now().get());
  const std::uint64_t mount = reached.reached == paths::Reached::kDoubtful ? reached.mount : 0;
  (void)runs_.paths().ask(
      {paths::Ask::kGitPlaces, workspace, {}}, mount,
      [this, workspace, alive = std::weak_ptr<const int>(lifetime_)](const paths::Answer& answer) {
        if (!alive.expired()) finish_walk(workspace, answer);
      });
}

void Repositories::finish_walk(const std::string& workspace, const paths::Answer& answer) {
  Workspace& here = workspaces_[workspace];
  here.is_walking = false;
  const bool good = answer.answered && answer.error == 0;
  if (good) take(workspace, paths::git_places_of(answer.text));
  here.is_unanswered = !good && here.since;
  tell();
  const Places found = good ? here.last : nullptr;
  for (const Walked& then : std::exchange(here.served, {})) then(found);
  if (!here.is_walking && !here.waiting.empty()) begin_walk(workspace);
}

void Repositories::take(const std::string& workspace, paths::GitPlaces places) {
  Workspace& here = workspaces_[workspace];
  std::vector<trust::Changed> changed;
  const Things now = things_in(places, workspace);
  if (const auto first = since(workspace)) {
    changed = compare(workspace, here.last ? things_in(*here.last, workspace) : Things{}, now,
                      *first - kTickMs);
  }
  for (const trust::Changed& each : changed) {
    const bool is_repository = now.at(each.path).is_repository;
    auto& names = is_repository ? here.unnamed.made : here.unnamed.changed;
    if (names.size() < kMostNamed) names.push_back(name_of(each, is_repository));
  }
  // Another run has ended while this walk went on, and the next one looks after it.
  if (here.waiting.empty()) here.since.reset();
  note(workspace, places, changed);
  here.last = std::make_shared<const paths::GitPlaces>(std::move(places));
}

bool Repositories::look_after(const Run& run, std::function<void(Changes)> on_found) {
  if (!is_watched(run) || !runs_.paths().is_open()) return false;
  const SandboxSpec& sandbox = *run.spec().sandbox;
  const std::string& workspace = sandbox.repositories_below;
  Workspace& here = workspaces_[workspace];
  here.since =
      std::min(here.since.value_or(sandbox.repositories_since), sandbox.repositories_since);
  walk(workspace, [this, workspace, on_found = std::move(on_found)](const Places&) {
    on_found(std::exchange(workspaces_[workspace].unnamed, {}));
  });
  return true;
}

// A process that carries out one call ends before a helper has answered.
void Repositories::look_at_once() {
  std::set<std::string> open;
  for (const auto& [workspace, here] : workspaces_) {
    if (since(workspace)) open.insert(workspace);
  }
  for (const std::string& workspace : open) {
    if (!paths::answers_at_once(workspace, *runs_.paths().mounts()->now())) continue;
    take(workspace, paths::find_git_places(workspace));
  }
}

// --- What policies know --------------------------------------------------------------------------

void Repositories::begin() {
  refresh();
  const Workspace& here = workspaces_[context_.workspace];
  const bool wants = !here.last || here.is_unanswered;
  if (wants && !here.is_walking && runs_.paths().is_open()) {
    walk(context_.workspace, [](const Places&) {});
  }
}

bool Repositories::is_behind() const {
  return runs_.paths().is_open() &&
         std::any_of(workspaces_.begin(), workspaces_.end(),
                     [this](const auto& each) { return since(each.first).has_value(); });
}

void Repositories::catch_up(std::function<void()> then) {
  auto left = std::make_shared<std::size_t>(1);
  const auto one_less = [left, then = std::move(then)] {
    if (--*left == 0) then();
  };
  std::vector<std::string> behind;
  for (const auto& [workspace, here] : workspaces_) {
    if (since(workspace)) behind.push_back(workspace);
  }
  *left += behind.size();
  for (const std::string& workspace : behind) {
    walk(workspace, [one_less](const Places&) { one_less(); });
  }
  one_less();
}

void Repositories::note(const std::string& workspace, const paths::GitPlaces& now,
                        const std::vector<trust::Changed>& changed) {
  // At once for this process, whatever becomes of the file.
  if (!apply(all_, workspace, now, changed)) return;
  tell();
  if (state_directory_.empty()) return;
  gate_.pass([this, workspace, now, changed,
              alive = std::weak_ptr<const int>(lifetime_)](bool answers) {
    if (alive.expired()) return;
    if (!answers) {
      return problem(Status::error("state_file_unusable",
                                   "the state directory does not answer: what runs have changed in "
                                   "repositories is known to this process alone"));
    }
    const trust::ChangedList list(state_directory_);
    const Status written = list.change(
        [&](std::vector<trust::Changed>& all) { return apply(all, workspace, now, changed); });
    if (!written) return problem(written);
    refresh();
  });
}

void Repositories::refresh() {
  if (state_directory_.empty()) return;
  gate_.pass([this, alive = std::weak_ptr<const int>(lifetime_)](bool answers) {
    if (alive.expired() || !answers) return;
    const trust::ChangedList list(state_directory_);
    if (mark_.is_current(list.path())) return;
    const bool had_file = mark_.is_set();
    auto read = list.list(&mark_);
    // What could not be written is known all the same.
    if (read && !had_file && !mark_.is_set() && !is_unknown_) return;
    is_unknown_ = !read;
    if (read) {
      all_ = std::move(*read);
    } else {
      problem(read.status());
    }
    tell();
  });
}

void Repositories::tell() {
  std::set<std::string> places;
  for (const trust::Changed& each : all_) places.insert(trust::directory_of(each));
  // Which of them cannot be known: all may be.
  for (const auto& [workspace, here] : workspaces_) {
    if (here.is_unanswered) places.insert(workspace);
  }
  if (is_unknown_) places.insert(context_.workspace);
  std::vector<std::string> list(places.begin(), places.end());
  if (list == std::exchange(told_, list)) return;
  context_.engine->learn(lua::kChangedByRuns, std::move(list));
}

void Repositories::problem(const Status& status) {
  if (std::exchange(reported_, status.message()) == status.message()) return;
  on_problem_(status.message() +
              ". Until it is mended or removed, what is in the workspace counts as changed by a "
              "run");
}

}  // namespace gibbous::host
