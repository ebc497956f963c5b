#include "runtime/paths/obeyed.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/base/sha256.h"
#include "runtime/base/unique_fd.h"
#include "runtime/paths/git_places.h"

namespace gibbous::paths {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxHooks = 64;  // that are read of one directory
constexpr std::size_t kHashChars = 32;
constexpr int kMaxIncluded = 3;  // one in another
constexpr std::string_view kGitPart = "/.git";

// What git obeys in each of its directories, besides its configuration and hooks.
constexpr std::array kFiles = {"gitdir",
                               "info/attributes",
                               "info/grafts",
                               "objects/info/alternates",
                               "rebase-merge/git-rebase-todo",
                               "sequencer/todo"};
// As links they lead elsewhere, to what git would print.
constexpr std::array kNoLinks = {"HEAD", "packed-refs", "shallow"};
constexpr std::array<std::string_view, 10> kHarmless = {"core.repositoryformatversion",
                                                        "core.filemode",
                                                        "core.bare",
                                                        "core.logallrefupdates",
                                                        "core.ignorecase",
                                                        "core.precomposeunicode",
                                                        "core.symlinks",
                                                        "core.autocrlf",
                                                        "user.name",
                                                        "user.email"};

std::int64_t changed_ms(const struct stat& info) {
  constexpr std::int64_t kSecondMs = 1000;
  constexpr std::int64_t kMilliNs = 1'000'000;
  return info.st_ctim.tv_sec * kSecondMs + info.st_ctim.tv_nsec / kMilliNs;
}

struct Read {
  bool exists = false;
  bool whole = false;  // `text` is all of it
  std::string text;
  std::string kind;  // what counts besides its text: its mode, where a link leads
  std::int64_t changed = 0;
};

Read read(const fs::path& path) {
  Read file;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return file;
  file.exists = true;
  file.changed = changed_ms(info);
  if (S_ISLNK(info.st_mode)) {
    std::error_code error;
    file.kind = "link " + fs::read_symlink(path, error).string() + " ";
  }
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const bool is_open = fd && ::fstat(fd.get(), &info) == 0;
  if (is_open) file.changed = std::max(file.changed, changed_ms(info));
  file.kind += std::to_string(info.st_mode);
  if (is_open && S_ISREG(info.st_mode) && info.st_size <= static_cast<off_t>(kMaxFileBytes)) {
    file.text.resize(kMaxFileBytes + 1);
    const ssize_t got = ::pread(fd.get(), file.text.data(), file.text.size(), 0);
    file.text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    file.whole = got >= 0 && file.text.size() <= kMaxFileBytes;
  }
  if (!file.whole) {
    file.kind += " " + std::to_string(info.st_ino) + " " + std::to_string(info.st_size) + " " +
                 std::to_string(file.changed);
  }
  return file;
}

std::string hash_of(const std::string& text) {
  return sha256_hex(text).substr(0, kHashChars);
}

bool is_below(const fs::path& path, const fs::path& directory) {
  const fs::path relative = path.lexically_relative(directory);
  return !relative.empty() && relative != "." && *relative.begin() != "..";
}

// "//" between a repository's directory and what is in it.
std::string marked(const fs::path& path, const fs::path& repository) {
  const fs::path relative = path.lexically_relative(repository);
  return repository.string() + "//" + (relative == "." ? "" : relative.string());
}

fs::path repository_of(const std::string& directory) {
  for (std::size_t at = directory.find(kGitPart); at != std::string::npos;
       at = directory.find(kGitPart, at + 1)) {
    const std::size_t end = at + kGitPart.size();
    if (at > 0 && (end == directory.size() || directory[end] == '/'))
      return directory.substr(0, at);
  }
  return directory;
}

bool all_of(std::string_view text, std::string_view besides) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [besides](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           besides.find(c) != std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

// Returns "branch.main" of `[branch "main"]`, as git writes it; "" of any other line.
std::string section_of(std::string_view line) {
  if (line.size() < 3 || line.front() != '[' || line.back() != ']') return "";
  line = line.substr(1, line.size() - 2);
  const std::string_view name = line.substr(0, line.find(' '));
  if (!all_of(name, "-")) return "";
  if (name.size() == line.size()) return lower(name);
  const std::string_view sub = line.substr(name.size());
  const bool quoted = sub.size() > 3 && sub.substr(0, 2) == " \"" && sub.back() == '"' &&
                      sub.substr(2, sub.size() - 3).find_first_of("\"\\\r") == std::string::npos;
  return quoted ? lower(name) + "." + std::string(sub.substr(2, sub.size() - 3)) : "";
}

struct Setting {
  std::string name;  // "core.hookspath"; "": a line that git would not write so
  std::string_view value;
};

bool is_harmless(const Setting& setting) {
  if (setting.value.find_first_of("\\\"#;\r") != std::string_view::npos) return false;
  if (std::find(kHarmless.begin(), kHarmless.end(), setting.name) != kHarmless.end()) return true;
  const bool names = setting.name.ends_with(".remote") || setting.name.ends_with(".merge");
  return setting.name.starts_with("branch.") && names && all_of(setting.value, "._/-");
}

// Each line counts by itself: what goes on from one to the next is of a kind that git would not
// write, so that nothing is overlooked in it.
std::vector<Setting> settings_of(std::string_view text) {
  std::vector<Setting> all;
  std::string section;
  bool goes_on = false;
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    const std::string_view line = trimmed(whole);
    const bool went_on = std::exchange(goes_on, whole.ends_with('\\'));
    if (line.empty() || (!went_on && (line.front() == '#' || line.front() == ';'))) continue;
    if (std::string named = section_of(line); !named.empty() && !went_on) {
      section = std::move(named);
      continue;
    }
    const std::string_view key = trimmed(line.substr(0, line.find('=')));
    const bool plain = !went_on && !section.empty() && all_of(key, "-");
    if (!plain) section.clear();
    const std::size_t value = line.find('=');
    all.push_back({plain ? section + "." + lower(key) : "",
                   plain ? trimmed(line.substr(std::min(value, line.size() - 1) + 1)) : line});
  }
  return all;
}

class ObeyedSearch {
 public:
  explicit ObeyedSearch(fs::path workspace) : workspace_(std::move(workspace)) {}

  std::vector<Obeyed> run(const GitPlaces& places) {
    for (const std::string& place : repositories_in(places)) add_place(place);
    const auto directories = places.variables.find("GIT_DIRS");
    if (directories != places.variables.end()) {
      for (const std::string& directory : directories->second) add_directory(directory);
    }
    std::vector<Obeyed> all;
    for (auto& [path, thing] : found_) all.push_back(std::move(thing));
    return all;
  }

 private:
  void add(std::string path, const std::string& hash, std::int64_t changed, bool is_repository) {
    if (found_.size() > kMaxObeyed) return;
    Obeyed& thing = found_[path];
    // A key may have several lines: each counts.
    thing.hash = thing.hash.empty() ? hash : hash_of(thing.hash + hash);
    thing.changed = std::max(thing.changed, changed);
    thing.is_repository = is_repository;
    thing.path = std::move(path);
  }

  // To move a directory there changes only the time of the one around it.
  void add_place(const std::string& place) {
    struct stat info {};
    if (place == kAnywhere || ::lstat(place.c_str(), &info) != 0) return;
    std::error_code none;
    const std::string is = S_ISDIR(info.st_mode)   ? std::to_string(info.st_ino)
                           : S_ISLNK(info.st_mode) ? fs::read_symlink(place, none).string()
                                                   : read(place).text;
    std::int64_t changed = changed_ms(info);
    for (fs::path around = fs::path(place).parent_path(); is_below(around, workspace_);
         around = around.parent_path()) {
      if (::lstat(around.c_str(), &info) == 0) changed = std::max(changed, changed_ms(info));
    }
    add(marked(place, repository_of(place)), hash_of(is), changed, true);
  }

  bool add_file(const fs::path& path, const fs::path& repository, const fs::path& around) {
    const Read file = read(path);
    if (!file.exists) return false;
    add(marked(path, repository), hash_of(file.kind + "\n" + file.text),
        std::max(file.changed, changed_around(path, around)), false);
    return true;
  }

  // The latest change of the directories between them.
  static std::int64_t changed_around(const fs::path& path, const fs::path& around) {
    std::int64_t changed = 0;
    for (fs::path each = path.parent_path(); is_below(each, around); each = each.parent_path()) {
      struct stat info {};
      if (::lstat(each.c_str(), &info) == 0) changed = std::max(changed, changed_ms(info));
    }
    return changed;
  }

  void add_hooks(const fs::path& hooks, const fs::path& repository, const fs::path& around) {
    std::error_code error;
    std::size_t entries = 0;
    for (fs::directory_iterator at(hooks, error), end; !error && at != end; at.increment(error)) {
      const fs::path& path = at->path();
      std::error_code none;
      if (path.extension() == ".sample" || fs::is_directory(path, none)) continue;
      if (++entries > kMaxHooks) {
        struct stat info {};
        (void)::lstat(hooks.c_str(), &info);
        return add(marked(hooks, repository), std::to_string(changed_ms(info)), changed_ms(info),
                   false);
      }
      add_file(path, repository, around);
    }
  }

  void add_directory(const fs::path& directory) {
    const fs::path repository = repository_of(directory);
    for (const char* name : kFiles) add_file(directory / name, repository, directory);
    for (const char* name : kNoLinks) {
      std::error_code error;
      if (fs::is_symlink(directory / name, error)) {
        add_file(directory / name, repository, directory);
      }
    }
    // One that says "." changes nothing: Gibbous makes such ones.
    const Read common = read(directory / "commondir");
    if (common.exists && common.text != "." && common.text != ".\n") {
      add_file(directory / "commondir", repository, directory);
    }
    add_hooks(directory / "hooks", repository, directory);
    const bool is_main = directory == repository / ".git";
    if (is_main) add_file(repository / ".gitmodules", repository, repository);
    for (const char* name : {"config", "config.worktree"}) {
      add_config(directory / name, directory, repository, 0);
    }
  }

  void add_config(const fs::path& path, const fs::path& directory, const fs::path& repository,
                  int depth) {
    const Read file = read(path);
    if (!file.exists) return;
    if (!file.whole) return static_cast<void>(add_file(path, repository, directory));
    const std::int64_t changed = std::max(file.changed, changed_around(path, directory));
    const std::vector<Setting> settings = settings_of(file.text);
    fs::path tree = repository;  // relative to which it names files
    for (const Setting& setting : settings) {
      if (setting.name == "core.worktree") tree = (directory / setting.value).lexically_normal();
    }
    for (const Setting& setting : settings) {
      if (is_harmless(setting)) continue;
      add(marked(path, repository) + (setting.name.empty() ? "" : " " + setting.name),
          hash_of(std::string(setting.value)), changed, false);
      const bool is_driver = setting.name.starts_with("filter.") ||
                             setting.name.starts_with("diff.") ||
                             setting.name.starts_with("merge.");
      if (is_driver) add_file(tree / ".gitattributes", repository, tree);
      add_named(setting, tree, repository);
      const bool includes = setting.name.starts_with("include") && setting.name.ends_with(".path");
      const fs::path included = path.parent_path() / unquoted(setting.value);
      if (includes && depth < kMaxIncluded && is_below(included.lexically_normal(), workspace_)) {
        add_config(included.lexically_normal(), directory, repository, depth + 1);
      }
    }
  }

  static std::string_view unquoted(std::string_view value) {
    const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
    return quoted ? value.substr(1, value.size() - 2) : value;
  }

  // Files of the workspace that a setting names: programs, hooks, attributes.
  void add_named(const Setting& setting, const fs::path& tree, const fs::path& repository) {
    if (setting.name == "core.worktree") return;
    std::string_view rest = setting.value;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\"'!;|&()"));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (word.empty() || word == ".") continue;
      for (const fs::path& base : std::set<fs::path>{tree, workspace_}) {
        const fs::path named = (base / word).lexically_normal();
        std::error_code error;
        if (!is_below(named, workspace_)) continue;
        if (fs::is_regular_file(named, error)) add_file(named, repository, base);
        if (setting.name != "core.hookspath") continue;
        add_hooks(named, repository, base);
        // husky's lead to the files around it.
        if (named.filename() == "_") add_hooks(named.parent_path(), repository, base);
      }
    }
  }

  const fs::path workspace_;
  std::map<std::string, Obeyed> found_;  // by path
};

}  // namespace

std::vector<Obeyed> find_obeyed(const GitPlaces& places, const std::string& workspace) {
  return ObeyedSearch(workspace).run(places);
}

}  // namespace gibbous::paths
