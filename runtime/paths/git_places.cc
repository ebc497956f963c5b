#include "runtime/paths/git_places.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/paths/question.h"
#include "runtime/paths/repositories.h"

namespace gibbous::paths {
namespace {

namespace fs = std::filesystem;

constexpr std::array kNames = {"GIT_DIRS",   "GIT_LINK", "GIT_WORKTREE", "GIT_COMMON",
                               "GIT_NESTED", "GIT_OWN",  "GIT_ELSEWHERE"};
constexpr std::string_view kObeyed = "OBEYED";
constexpr std::string_view kRepository = "REPOSITORY";
constexpr const char* kAll = "all\n";
constexpr const char* kSome = "some\n";
constexpr std::size_t kAround = 48;  // the first and the last line, and the answer's number
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::string_view kPrefix = "gitdir: ";

// Returns the text of a regular file that is not a link; "" when there is none.
std::string first_line(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::string line(kMaxLineBytes, '\0');
  const ssize_t got = ::read(fd.get(), line.data(), line.size());
  line.resize(static_cast<std::size_t>(got > 0 ? got : 0));
  return line.substr(0, line.find('\n'));
}

constexpr std::size_t kMostGitDirectories = 64;
constexpr std::size_t kMostEntries = 2000;     // that are looked at
constexpr std::size_t kMostDirectories = 256;  // at a start
constexpr int kModulesDepth = 4;               // the name of a submodule may have slashes

bool is_real_directory(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

// Adds the repositories of submodules, which may have some themselves.
void add_modules(const fs::path& modules, int depth, std::size_t& entries,
                 std::vector<std::string>& found) {
  std::error_code error;
  for (fs::directory_iterator at(modules, error), end; !error && at != end; at.increment(error)) {
    if (found.size() >= kMostGitDirectories || ++entries > kMostEntries) return;
    if (!is_real_directory(at->path())) continue;
    const bool is_repository =
        fs::symlink_status(at->path() / "HEAD", error).type() == fs::file_type::regular;
    if (is_repository) {
      found.push_back(at->path().string());
      add_modules(at->path() / "modules", depth, entries, found);
    } else if (depth > 1) {
      add_modules(at->path(), depth - 1, entries, found);
    }
    error.clear();
  }
}

// Returns the directories in which git looks for files that it obeys.
std::vector<std::string> git_directories(const fs::path& repository) {
  std::vector<std::string> found;
  if (!is_real_directory(repository)) return found;
  found.push_back(repository.string());
  std::size_t entries = 0;
  std::error_code error;
  for (fs::directory_iterator at(repository / "worktrees", error), end; !error && at != end;
       at.increment(error)) {
    if (found.size() >= kMostGitDirectories || ++entries > kMostEntries) break;
    if (is_real_directory(at->path())) found.push_back(at->path().string());
  }
  entries = 0;
  add_modules(repository / "modules", kModulesDepth, entries, found);
  return found;
}

}  // namespace

using Variables = std::map<std::string, std::vector<std::string>>;

static void add_own_places(const std::string& workspace, Variables& variables) {
  for (const char* const name : kNames) variables[name] = {};
  std::error_code none;
  // A link leads to the repository.
  const fs::path repository = fs::canonical(fs::path(workspace) / ".git", none);
  variables["GIT_DIRS"] = none ? std::vector<std::string>{} : git_directories(repository);
  const fs::path link = fs::path(workspace) / ".git";
  const std::string line = first_line(link);
  if (is_real_directory(link)) variables["GIT_OWN"] = {link.string()};
  // Whatever it names: git obeys another one at once.
  if (!line.empty()) variables["GIT_LINK"] = {link.string()};
  if (line.rfind(kPrefix, 0) != 0) return;
  std::error_code error;
  const fs::path named = line.substr(kPrefix.size());
  const fs::path directory =
      fs::canonical(named.is_absolute() ? named : fs::path(workspace) / named, error);
  if (error || directory.parent_path().filename() != "worktrees") return;
  const fs::path back = fs::canonical(first_line(directory / "gitdir"), error);
  if (error || back != fs::canonical(link, error)) return;
  // A workspace that stands where git has such directories could name itself.
  const auto is_below = [](const fs::path& path, const fs::path& tree) {
    const fs::path relative = path.lexically_relative(tree);
    return !relative.empty() && *relative.begin() != "..";
  };
  const fs::path here = fs::canonical(workspace, error);
  const fs::path common = directory.parent_path().parent_path();
  if (error || is_below(directory, here) || is_below(here, directory) ||
      first_line(common / "HEAD").empty() ||
      fs::symlink_status(common / "objects", error).type() != fs::file_type::directory) {
    return;
  }
  variables["GIT_LINK"] = {link.string()};
  variables["GIT_WORKTREE"] = {directory.string()};
  variables["GIT_COMMON"] = {common.string()};
  variables["GIT_DIRS"] = git_directories(common);
}

// Returns the directory that the .git file of a submodule or worktree names; "" when there is none.
static std::string named_by(const std::string& link) {
  const std::string line = first_line(link);
  if (line.rfind(kPrefix, 0) != 0) return "";
  const fs::path named = line.substr(kPrefix.size());
  std::error_code error;
  const fs::path directory =
      fs::canonical(named.is_absolute() ? named : fs::path(link).parent_path() / named, error);
  return error ? "" : directory.string();
}

// Returns the repository of a worktree's directory; "" when that is none.
static std::string common_of(const fs::path& directory) {
  const std::string line = first_line(directory / "commondir");
  if (line.empty()) return "";
  std::error_code error;
  const fs::path named = line;
  const fs::path common = fs::canonical(named.is_absolute() ? named : directory / named, error);
  return error || first_line(common / "HEAD").empty() ? "" : common.string();
}

static bool add_places_below(const std::string& workspace, const Repositories& below,
                             Variables& variables) {
  std::vector<std::string>& all = variables["GIT_DIRS"];
  std::vector<std::string>& nested = variables["GIT_NESTED"];
  std::vector<std::string>& elsewhere = variables["GIT_ELSEWHERE"];
  elsewhere = below.links;
  if (below.too_many) elsewhere.push_back(kAnywhere);
  const auto add = [&all](const std::string& repository) {
    for (std::string& directory : git_directories(repository)) {
      if (std::find(all.begin(), all.end(), directory) != all.end()) continue;
      if (all.size() >= kMostGitDirectories) return false;
      all.push_back(std::move(directory));
    }
    return true;
  };
  bool complete = below.complete;
  // The workspace's own may be a file, too.
  const std::string own = named_by((fs::path(workspace) / ".git").string());
  if (!own.empty()) {
    complete = add(own) && complete;
    if (const std::string common = common_of(own); !common.empty()) {
      complete = add(common) && complete;
    }
  }
  for (const std::string& place : below.places) {
    if (is_real_directory(place)) {
      nested.push_back(place);
      complete = add(place) && complete;
    } else if (const std::string named = named_by(place); !named.empty()) {
      variables["GIT_LINK"].push_back(place);
      complete = add(named) && complete;
      // A worktree obeys its repository, too.
      if (const std::string common = common_of(named); !common.empty()) {
        complete = add(common) && complete;
      }
    } else {
      elsewhere.push_back(place);
    }
    if (all.size() >= kMostGitDirectories) complete = false;
  }
  for (const std::string& place : below.bare) {
    if (place != workspace) nested.push_back(place);
    complete = add(place) && complete;
  }
  return complete;
}

GitPlaces find_own_git_places(const std::string& workspace) {
  GitPlaces found;
  add_own_places(workspace, found.variables);
  found.complete = add_places_below(workspace, {}, found.variables);
  return found;
}

GitPlaces find_git_places(const std::string& workspace) {
  GitPlaces found;
  add_own_places(workspace, found.variables);
  found.complete = add_places_below(workspace, find_repositories(workspace), found.variables);
  found.obeyed = find_obeyed(found, workspace);
  if (found.obeyed.size() > kMaxObeyed) found.variables["GIT_ELSEWHERE"].push_back(kAnywhere);
  return found;
}

// Whether a directory in `around` is a repository that was not found.
static bool has_another(const fs::path& around, const std::set<std::string>& known,
                        std::size_t& directories) {
  std::size_t entries = 0;
  std::error_code error;
  for (fs::directory_iterator at(around, error), end; !error && at != end; at.increment(error)) {
    std::error_code none;
    if (++entries > kMostEntries) return false;
    if (at->is_symlink(none) || !at->is_directory(none)) continue;
    if (++directories > kMostDirectories) return false;
    const std::string place = at->path().string() + "/.git";
    struct stat info {};
    if (::lstat(place.c_str(), &info) == 0 && !known.contains(place)) return true;
  }
  return false;
}

bool still_holds(const GitPlaces& found, const std::string& workspace) {
  const auto list_of = [](const GitPlaces& places, const char* name) {
    const auto list = places.variables.find(name);
    return list == places.variables.end() ? std::vector<std::string>{} : list->second;
  };
  const GitPlaces own = find_own_git_places(workspace);
  // These widen what may be written.
  for (const char* const name : {"GIT_OWN", "GIT_WORKTREE", "GIT_COMMON"}) {
    if (list_of(own, name) != list_of(found, name)) return false;
  }
  const std::vector<std::string> all = repositories_in(found);
  std::set<std::string> known(all.begin(), all.end());
  for (const std::string& place : repositories_in(own)) {
    if (!known.contains(place)) return false;
  }
  if (known.contains(kAnywhere)) return true;
  std::set<fs::path> around{workspace};
  for (const char* const name : {"GIT_NESTED", "GIT_LINK"}) {
    for (const fs::path place : list_of(found, name)) {
      if (place.filename() == ".git") around.insert(place.parent_path().parent_path());
    }
  }
  around.erase(fs::path(workspace).parent_path());  // of the workspace's own
  std::size_t directories = 0;
  return std::none_of(around.begin(), around.end(),
                      [&](const fs::path& each) { return has_another(each, known, directories); });
}

std::vector<std::string> repositories_in(const GitPlaces& found) {
  std::vector<std::string> all;
  for (const char* const name :
       {"GIT_OWN", "GIT_LINK", "GIT_NESTED", "GIT_ELSEWHERE", "GIT_DIRS"}) {
    const auto list = found.variables.find(name);
    if (list == found.variables.end()) continue;
    for (const std::string& place : list->second) {
      if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(place);
    }
  }
  return all;
}

std::string to_text(const GitPlaces& found) {
  std::string list;
  bool complete = found.complete;
  bool dropped = false;
  const auto add = [&](const std::string& line) {
    if (list.size() + line.size() + kAround > kMaxAnswerBytes ||
        std::count(line.begin(), line.end(), '\n') > 0) {
      dropped = true;
    } else {
      list += line + "\n";
    }
  };
  for (const auto& [name, paths] : found.variables) {
    for (const std::string& path : paths) add(name + " " + path);
  }
  for (const Obeyed& each : found.obeyed) {
    const std::string_view name = each.is_repository ? kRepository : kObeyed;
    add(std::string(name) + " " + each.path + " " + each.hash + " " + std::to_string(each.changed));
  }
  if (dropped) {
    complete = false;
    list += std::string("GIT_ELSEWHERE ") + kAnywhere + "\n";
  }
  return (complete ? kAll : kSome) + list;
}

// Returns nothing where the line is no such thing.
static std::optional<Obeyed> obeyed_in(std::string_view line, bool is_repository) {
  Obeyed thing;
  const std::size_t number = line.rfind(' ');
  if (number == std::string_view::npos) return std::nullopt;
  const std::size_t hash = line.substr(0, number).rfind(' ');
  if (hash == std::string_view::npos) return std::nullopt;
  const char* const end = line.data() + line.size();
  const auto [stopped, error] = std::from_chars(line.data() + number + 1, end, thing.changed);
  if (error != std::errc() || stopped != end) return std::nullopt;
  thing.path = line.substr(0, hash);
  thing.hash = line.substr(hash + 1, number - hash - 1);
  thing.is_repository = is_repository;
  return thing;
}

GitPlaces git_places_of(const std::string& text) {
  GitPlaces found;
  for (const char* const name : kNames) found.variables[name];
  found.complete = text.rfind(kAll, 0) == 0;
  std::string_view rest(text);
  for (bool first = true; !rest.empty(); first = false) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    if (first || space == std::string_view::npos || line.substr(space + 1).rfind('/', 0) != 0) {
      continue;
    }
    const std::string_view name = line.substr(0, space);
    if (name == kObeyed || name == kRepository) {
      auto thing = obeyed_in(line.substr(space + 1), name == kRepository);
      if (thing) found.obeyed.push_back(std::move(*thing));
      continue;
    }
    const auto list = found.variables.find(std::string(name));
    if (list != found.variables.end()) list->second.emplace_back(line.substr(space + 1));
  }
  return found;
}

}  // namespace gibbous::paths
