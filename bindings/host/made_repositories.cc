#include "bindings/host/made_repositories.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"
#include "runtime/runs/path_lookups.h"
#include "runtime/sandbox/temporary.h"

namespace gibbous::host {
namespace {

// More than these of one workspace are known by the directories at its top.
constexpr std::size_t kMostInWorkspace = 128;
constexpr std::size_t kMostUnanswered = 64;

bool is_below(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

std::string at_top(const std::string& path, const std::string& workspace) {
  return path.substr(0, path.find('/', workspace.size() + 1));
}

// Fewer entries that cover more.
void gather(std::vector<trust::Made>& all, const std::string& workspace) {
  const auto inside = [&](const trust::Made& each) { return is_below(each.path, workspace); };
  if (static_cast<std::size_t>(std::count_if(all.begin(), all.end(), inside)) <= kMostInWorkspace) {
    return;
  }
  std::set<std::string> kept;
  std::erase_if(all, [&](trust::Made& each) {
    if (!inside(each)) return false;
    each.path = at_top(each.path, workspace);
    return !kept.insert(each.path).second;
  });
  if (kept.size() <= kMostInWorkspace) return;
  trust::Made whole = *std::find_if(all.begin(), all.end(), inside);
  whole.path = workspace;
  std::erase_if(all, inside);
  all.push_back(std::move(whole));
}

}  // namespace

MadeRepositories::MadeRepositories(std::string state_directory, std::string workspace,
                                   const Clock& clock, StateGate& gate, Runs& runs,
                                   lua::Engine& engine,
                                   std::function<void(const std::string&)> on_problem)
    : state_directory_(std::move(state_directory)),
      workspace_(std::move(workspace)),
      clock_(clock),
      gate_(gate),
      runs_(runs),
      engine_(engine),
      on_problem_(std::move(on_problem)) {
  refresh();
  engine_.learn_first([this](const std::string& session, std::function<void()> then) {
    return learn(session, std::move(then));
  });
}

MadeRepositories::~MadeRepositories() {
  if (runs_.paths().is_open()) look_at_once();
  engine_.learn_first(nullptr);
}

std::optional<MadeRepositories::Watched> MadeRepositories::watched(const Run& run) {
  const auto& sandbox = run.spec().sandbox;
  if (!sandbox || sandbox->repositories_below.empty() || run.pid() == 0) return std::nullopt;
  Watched at{run.id(), sandbox->repositories_below, sandbox->repositories, std::nullopt};
  if (!sandbox->repositories_complete) at.since = run.started_at().count();
  return at;
}

bool MadeRepositories::look_after(const Run& run,
                                  std::function<void(std::vector<std::string>)> on_found) {
  auto at = watched(run);
  if (!at || !runs_.paths().is_open()) return false;
  const std::string below = at->below;
  look(std::move(*at),
       [below, on_found = std::move(on_found)](const std::vector<std::string>& made) {
         std::vector<std::string> relative;
         for (const std::string& path : made) {
           relative.push_back(std::filesystem::path(path).lexically_relative(below).string());
         }
         on_found(std::move(relative));
       });
  return true;
}

void MadeRepositories::look(Watched at, Found on_found) {
  const std::uint64_t look = ++last_look_;
  looking_[look] = at;
  const std::string below = at.below;
  std::vector<std::string> since;
  if (at.since) since.push_back(std::to_string(*at.since));
  // One helper, at most, hangs at a file system that does not answer.
  const paths::Walked reached = paths::walk(below, runs_.paths().mounts()->now().get());
  const std::uint64_t mount = reached.reached == paths::Reached::kDoubtful ? reached.mount : 0;
  (void)runs_.paths().ask(
      {paths::Ask::kGitPlaces, below, std::move(since)}, mount,
      [this, look, alive = std::weak_ptr<const int>(lifetime_), at = std::move(at),
       on_found = std::move(on_found)](const paths::Answer& answer) {
        std::vector<std::string> made;
        const bool good = answer.answered && answer.error == 0;
        if (good && !alive.expired()) {
          take(at, paths::git_places_of(answer.text), made);
          answered(at.run);
        } else if (!alive.expired()) {
          look_again_later(at);
        }
        on_found(made);
        if (!alive.expired()) finish(look);
      });
}

void MadeRepositories::look_again_later(const Watched& at) {
  unanswered_.insert_or_assign(at.run, at);
  if (unanswered_.size() > kMostUnanswered) {
    // Nobody will know what one of them has made.
    const Watched one = std::move(unanswered_.begin()->second);
    unanswered_.erase(unanswered_.begin());
    note(one, {one.below}, {one.below}, false);
  }
  tell();
}

void MadeRepositories::answered(const std::string& run) {
  if (unanswered_.erase(run) > 0) tell();
}

void MadeRepositories::take(const Watched& at, const paths::GitPlaces& places,
                            std::vector<std::string>& made) {
  const auto changed = places.variables.find("GIT_CHANGED");
  const auto is_old = [&](const std::string& place) {
    const auto in = [&place](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), place) != list.end();
    };
    return in(at.before) ||
           (at.since && (changed == places.variables.end() || !in(changed->second)));
  };
  std::vector<std::string> there;
  for (const std::string& place : paths::repositories_in(places)) {
    const std::filesystem::path path(place);
    std::string repository = (path.filename() == ".git" ? path.parent_path() : path).string();
    if (place == "/") repository = at.below;  // any may be there
    if (repository != at.below && !is_below(repository, at.below)) continue;
    there.push_back(repository);
    // What git keeps in a repository is a part of that one.
    const bool known = std::any_of(made.begin(), made.end(), [&](const std::string& each) {
      return each == repository || (path.filename() != ".git" && is_below(repository, each));
    });
    if (!is_old(place) && !known) made.push_back(std::move(repository));
  }
  note(at, made, there, places.complete);
}

// A process that carries out one call ends before a helper has answered.
void MadeRepositories::look_at_once() {
  std::vector<Watched> open;
  for (auto& [look, at] : looking_) open.push_back(std::move(at));
  for (auto& [run, at] : unanswered_) open.push_back(std::move(at));
  for (const Run* run : runs_.list()) {
    auto at = run->ended() ? std::nullopt : watched(*run);
    if (at) open.push_back(std::move(*at));
  }
  for (const Watched& at : open) {
    if (!paths::answers_at_once(at.below, *runs_.paths().mounts()->now())) continue;
    std::vector<std::string> made;
    take(at, paths::find_git_places(at.below, at.since), made);
  }
}

bool MadeRepositories::apply(std::vector<trust::Made>& all, const Watched& at,
                             const std::vector<std::string>& made,
                             const std::vector<std::string>& there, bool complete) const {
  bool changed = false;
  if (complete) {
    // Those that are gone; a directory that stands for many stays while one of them is there.
    changed = std::erase_if(all, [&](const trust::Made& each) {
                return is_below(each.path, at.below) &&
                       std::none_of(there.begin(), there.end(), [&](const std::string& path) {
                         return path == each.path || is_below(path, each.path);
                       });
              }) > 0;
  }
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall()).count();
  for (const std::string& path : made) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const trust::Made& each) {
      return path == each.path || is_below(path, each.path);
    });
    if (known) continue;
    all.push_back({path, at.run, now});
    changed = true;
  }
  if (changed) gather(all, at.below);
  return changed;
}

void MadeRepositories::note(const Watched& at, const std::vector<std::string>& made,
                            const std::vector<std::string>& there, bool complete) {
  // At once for this process, whatever becomes of the file.
  if (!apply(all_, at, made, there, complete)) return;
  tell();
  if (state_directory_.empty()) return;
  gate_.pass(
      [this, at, made, there, complete, alive = std::weak_ptr<const int>(lifetime_)](bool answers) {
        if (alive.expired()) return;
        if (!answers) {
          return problem(
              Status::error("state_file_unusable",
                            "the state directory does not answer: repositories that runs have "
                            "made are known to this process alone"));
        }
        const trust::MadeStore store(state_directory_);
        const Status written = store.change(
            [&](std::vector<trust::Made>& all) { return apply(all, at, made, there, complete); });
        if (!written) return problem(written);
        refresh();
      });
}

bool MadeRepositories::learn(const std::string& session, std::function<void()> then) {
  refresh();
  learn_temporary(session);
  if (!runs_.paths().is_open()) return false;
  std::map<std::string, Watched> unknown = unanswered_;
  for (const Run* run : runs_.list()) {
    auto at = run->ended() ? std::nullopt : watched(*run);
    if (at) unknown.insert_or_assign(run->id(), std::move(*at));
  }
  for (auto& [run, at] : unknown) look(std::move(at), [](const auto&) {});
  if (looking_.empty()) return false;
  waiting_.push_back(std::move(then));
  return true;
}

// A run without a sandbox that names something there is led to what sandboxed runs have left. The
// directories of one session count for all of this process.
void MadeRepositories::learn_temporary(const std::string& session) {
  const std::size_t before = temporary_.size();
  for (const char* const directory : kTemporaryDirectories) {
    if (runs_.has_temporary(session, directory)) temporary_.insert(directory);
  }
  if (temporary_.size() == before) return;
  engine_.learn(lua::kSessionTemporary, {temporary_.begin(), temporary_.end()});
}

void MadeRepositories::finish(std::uint64_t look) {
  looking_.erase(look);
  if (!looking_.empty()) return;
  for (const auto& then : std::exchange(waiting_, {})) then();
}

void MadeRepositories::refresh() {
  if (state_directory_.empty()) return;
  gate_.pass([this, alive = std::weak_ptr<const int>(lifetime_)](bool answers) {
    if (alive.expired() || !answers) return;
    const trust::MadeStore store(state_directory_);
    struct stat now {};
    if (::lstat(store.path().c_str(), &now) != 0) {
      if (std::exchange(seen_, std::nullopt)) {  // somebody has removed it
        all_.clear();
        is_unknown_ = false;
        tell();
      }
      return;
    }
    if (seen_ && same(*seen_, now)) return;
    seen_ = now;
    auto read = store.list();
    is_unknown_ = !read;
    if (read) {
      all_ = std::move(*read);
    } else {
      problem(read.status());
    }
    tell();
  });
}

void MadeRepositories::tell() {
  std::vector<std::string> places, runs;
  for (const trust::Made& made : all_) {
    places.push_back(made.path);
    runs.push_back(made.run);
  }
  for (const auto& [run, at] : unanswered_) {
    places.push_back(at.below);
    runs.push_back(run);
  }
  // Nobody knows which: all may be.
  if (is_unknown_) {
    places.insert(places.begin(), workspace_);
    runs.insert(runs.begin(), "?");
  }
  engine_.learn(lua::kMadeByRuns, std::move(places));
  engine_.learn(lua::kRunsThatMade, std::move(runs));
}

void MadeRepositories::problem(const Status& status) {
  if (std::exchange(reported_, status.message()) == status.message()) return;
  on_problem_(status.message() +
              ". Until it is mended or removed, what is in the workspace counts as made by a run");
}

}  // namespace gibbous::host
