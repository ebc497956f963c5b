#include "runtime/command/path_map.h"

#include <algorithm>
#include <array>

#include "runtime/base/path_text.h"
#include "runtime/command/analyse.h"
#include "runtime/command/knowledge.h"

namespace gibbous::command {
namespace {

constexpr std::string_view kAnywhere = "**/";

// Expands the beginning of an entry: several results for $TMP, none for an unknown variable.
std::vector<std::string> expand_entry(const std::string& entry, const Place& place) {
  if (entry.empty()) return {};
  if (entry[0] == '~') {
    if (entry.size() > 1 && entry[1] != '/') return {};
    if (place.home.empty()) return {};
    return {place.home + entry.substr(1)};
  }
  if (entry[0] != '$') return {entry};
  const std::size_t end = std::min(entry.find('/'), entry.size());
  const std::string name = entry.substr(1, end - 1);
  const std::string rest = entry.substr(end);
  const auto found = place.variables.find(name);
  if (name == "HOME" && !place.home.empty()) return {place.home + rest};
  if (name == "WORKSPACE" && !place.workspace.empty()) return {place.workspace + rest};
  if (name == "TMP") {
    std::vector<std::string> all = {"/tmp" + rest, "/var/tmp" + rest};
    const auto own = place.variables.find("TMPDIR");
    if (own != place.variables.end() && own->second.rfind('/', 0) == 0)
      all.push_back(own->second + rest);
    return all;
  }
  if (found != place.variables.end() && found->second.rfind('/', 0) == 0)
    return {found->second + rest};
  return {};
}

constexpr std::array<bool, 256> kDelimiters = [] {
  std::array<bool, 256> made{};
  for (const char each : std::string_view(" \t\n\r\"'`=:,;|@()<>&{}[]"))
    made[static_cast<unsigned char>(each)] = true;
  return made;
}();

bool has_glob(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace

std::string normalize(std::string_view absolute) {
  return normalize_path(absolute);
}

std::string join(const std::string& base, std::string_view path) {
  if (!path.empty() && path[0] == '/') return normalize(path);
  std::string whole = base;
  whole += '/';
  whole += path;
  return normalize(whole);
}

bool is_within(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.size() >= directory.size() && path.compare(0, directory.size(), directory) == 0 &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

bool component_match(std::string_view glob, std::string_view text) {
  std::size_t at = 0;
  std::size_t from = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (from < text.size()) {
    if (at + 1 < glob.size() && glob[at + 1] == '(') return true;  // @(a|b)
    bool one = false;
    std::size_t width = 1;
    if (at < glob.size()) {
      if (glob[at] == '*') {
        star = at++;
        mark = from;
        continue;
      }
      if (glob[at] == '?') {
        one = true;
      } else if (glob[at] == '[') {
        const std::size_t close = glob.find(']', std::min(at + 2, glob.size()));
        if (close != std::string_view::npos) {
          one = true;
          width = close - at + 1;
        } else {
          one = text[from] == '[';
        }
      } else {
        one = glob[at] == text[from];
      }
    }
    if (one && text[from] != '/') {
      at += width;
      ++from;
    } else if (one && at < glob.size() && glob[at] == '/') {
      ++at;
      ++from;
    } else if (star != std::string_view::npos && text[mark] != '/') {
      at = star + 1;
      from = ++mark;
    } else {
      return false;
    }
  }
  while (at < glob.size() && glob[at] == '*') ++at;
  return at == glob.size();
}

bool delimits_path(char byte) {
  return kDelimiters[static_cast<unsigned char>(byte)];
}

bool may_match_parent(std::string_view glob) {
  if (glob.find('(') != std::string_view::npos) return glob.find('.') != std::string_view::npos;
  // Only a dot that is written matches a leading dot. .[!.]* matches all names but these.
  const bool pattern = glob.size() > 1 && glob[0] == '.' && has_glob(glob.substr(1, 1));
  return (pattern || glob.starts_with("..*")) && !glob.starts_with(".[!.") &&
         !glob.starts_with(".[^.");
}

std::shared_ptr<const PathMap> PathMap::create(const Knowledge& knowledge, const Place& place) {
  auto map = std::make_shared<PathMap>();
  map->workspace_ = normalize(place.workspace);
  if (place.resolve && !map->workspace_.empty())
    map->workspace_ = place.resolve(map->workspace_).value_or(map->workspace_);
  map->notes_ = place.notes;
  PathClasses bit = 1U << kFirstOwnClass;
  for (const PathClassSpec& spec : knowledge.classes) {
    if (spec.named) map->named_ |= bit;
    if (spec.entered && !spec.entries.empty()) map->entered_ |= bit;
    for (const std::string& written : spec.entries) {
      Entry entry;
      entry.bit = bit;
      std::string text = written;
      while (!text.empty() && (text[0] == '=' || text[0] == '!')) {
        (text[0] == '=' ? entry.only_itself : entry.takes_out) = true;
        text.erase(0, 1);
      }
      if (text.starts_with(kAnywhere)) {
        entry.inside = true;
        entry.path = text.substr(kAnywhere.size() - 1);
        entry.head = std::min(entry.path.find_first_of("*?[]"), entry.path.size());
        map->add_name(entry.path, entry, spec.named);
        const std::string_view below = std::string_view(entry.path).substr(1);
        map->anywhere_[std::string(below.substr(0, below.find('/')))].push_back(entry);
        if (entry.path.find('*') != std::string::npos) map->anywhere_globs_.push_back(entry);
        continue;
      }
      for (const std::string& path : expand_entry(text, place)) {
        entry.path = normalize(path);
        // Directories above the workspace say nothing about its contents.
        const bool above = !map->workspace_.empty() && is_within(map->workspace_, entry.path);
        entry.inside = spec.inside || !above;
        map->add_name(entry.path, entry, spec.named);
        map->add(entry);
        // A link must not exclude anything.
        const bool device = is_within(entry.path, "/dev") || is_within(entry.path, "/proc");
        if (!place.resolve || entry.takes_out || device || has_glob(entry.path)) continue;
        const auto real = place.resolve(entry.path);
        if (!real || *real == entry.path || *real == "/") continue;
        Entry other = entry;
        other.path = *real;
        map->add_name(other.path, other, spec.named);
        map->add(std::move(other));
      }
    }
    bit <<= 1;
  }
  return map;
}

bool PathMap::is_named(const std::string& directory) const {
  PathQuestion question;
  question.path = directory;
  PathClasses own = 0;
  return (classify(question, &own) & named_) != 0;
}

namespace {

std::vector<std::string_view> components_of(std::string_view path) {
  std::vector<std::string_view> all;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) all.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

// Returns true if each component of the entry may be one of the pattern's.
bool overlaps(const std::vector<std::string_view>& pattern, std::string_view entry, bool whole) {
  const std::vector<std::string_view> parts = components_of(entry);
  if (parts.empty() || parts.size() > pattern.size()) return false;
  if (whole && parts.size() != pattern.size()) return false;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (parts[at] == pattern[at] || component_match(pattern[at], parts[at])) continue;
    if (!component_match(parts[at], pattern[at])) return false;
  }
  return true;
}

}  // namespace

std::string PathMap::note_of(const std::string& path) const {
  for (const auto& [place, note] : notes_) {
    if (is_within(path, place)) return note;
  }
  const auto below = notes_.lower_bound(path == "/" ? path : path + "/");
  return below != notes_.end() && is_within(below->first, path) ? below->second : "";
}

PathClasses PathMap::may_match(const std::string& pattern) const {
  const std::vector<std::string_view> parts = components_of(pattern);
  PathClasses found = 0;
  for (const auto& [path, marks] : exact_) {
    const PathClasses all = marks.all(false);
    if ((all & ~found) == 0) continue;
    if (overlaps(parts, path, false)) found |= marks.below;
    if (overlaps(parts, path, true)) found |= all;
  }
  for (const Entry& entry : globs_) {
    if (!entry.takes_out && overlaps(parts, entry.path, entry.only_itself)) found |= entry.bit;
  }
  return found;
}

void PathMap::add_name(std::string_view path, const Entry& entry, bool named) {
  if (entry.takes_out) return;
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("*.")) name.remove_prefix(1);
  // A pattern says nothing about its letters.
  any_name_ = any_name_ || (named && (name.empty() || has_glob(name)));
  if (named && name.find(' ') != std::string_view::npos) blank_names_.emplace_back(name);
  names_[std::string(name)] |= entry.bit;
}

bool PathMap::may_name_with_blank(std::string_view text) const {
  return std::any_of(blank_names_.begin(), blank_names_.end(), [&](const std::string& name) {
    return text.find(name) != std::string_view::npos;
  });
}

bool PathMap::may_name(std::string_view text, bool globs) const {
  if (any_name_) return true;
  const auto has = [&](std::size_t begin, std::size_t end) {
    const auto found = names_.find(text.substr(begin, end - begin));
    return found != names_.end() && (found->second & named_) != 0;
  };
  std::size_t begin = 0;
  std::size_t dot = std::string_view::npos;  // the last one of the component
  bool pattern = false;
  for (std::size_t at = 0;; ++at) {
    const char byte = at == text.size() ? '/' : text[at];
    if (byte == '[' && globs) return true;
    if (byte != '/' && !delimits_path(byte)) {
      if (byte == '.') dot = at;
      // A pattern alone, such as *.c, names the files of a directory without such a class.
      const bool wild = byte == '*' || byte == '?';
      pattern = pattern || (wild && (at > begin || (at > 0 && text[at - 1] == '/')));
      continue;
    }
    if (at > begin) {
      if ((pattern && globs) || has(begin, at)) return true;
      if (dot != std::string_view::npos && dot > begin && has(dot, at)) return true;
      // -dNAME
      if (begin == 0 && text[0] == '-' && at > 2 && has(2, at)) return true;
    }
    if (at == text.size()) return begin > 0 && may_name_with_blank(text);
    begin = at + 1;
    dot = std::string_view::npos;
    pattern = false;
  }
}

PathClasses PathMap::by_name(const std::string& path) const {
  PathClasses found = 0;
  for (const std::string_view part : components_of(path)) {
    const auto named = part[0] == '.' ? names_.find(part) : names_.end();
    if (named != names_.end()) found |= named->second;
  }
  return found;
}

void PathMap::add(Entry entry) {
  if (has_glob(entry.path)) {
    entry.head = std::min(entry.path.find_first_of("*?[]"), entry.path.size());
    globs_.push_back(std::move(entry));
    return;
  }
  Marks& marks = exact_[entry.path];
  if (entry.takes_out) {
    marks.below_out |= entry.bit;
    return;
  }
  (entry.only_itself ? marks.itself : marks.below) |= entry.bit;
  if (entry.inside) marks.inside |= entry.bit;
}

// Returns the classes of entries that are the path or a directory above it; the nearest "!"
// excludes.
PathMap::Found PathMap::up(std::string_view path, bool inside) const {
  PathClasses found = 0;
  PathClasses out = 0;
  std::string_view at = path;
  for (bool itself = true; !at.empty(); itself = false) {
    const auto marks = exact_.find(at);
    if (marks != exact_.end()) {
      PathClasses here = marks->second.below | (itself ? marks->second.itself : 0);
      if (inside) here &= marks->second.inside;
      // A class that a nearer entry excluded does not come back from further up.
      out |= marks->second.below_out & ~here;
      found |= here & ~out;
    }
    if (at == "/") break;
    const std::size_t slash = at.rfind('/');
    at = slash == 0 ? std::string_view("/") : at.substr(0, slash);
  }
  return {found, out};
}

// Returns the classes of entries below the path: all, or those that its hole may be, or be above.
PathClasses PathMap::below(const PathQuestion& question, bool inside, std::size_t* looked) const {
  PathClasses found = 0;
  const bool all = !question.hole || question.contents;
  const std::string prefix = question.path == "/" ? question.path : question.path + "/";
  for (auto at = exact_.lower_bound(prefix); at != exact_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    ++*looked;
    const std::string_view rest = std::string_view(at->first).substr(prefix.size());
    const std::string_view component = rest.substr(0, rest.find('/'));
    if (!all && !question.recursive && component.size() < rest.size()) continue;
    const bool any = all || question.pattern.empty();
    if (any || component_match(question.pattern, component)) found |= at->second.all(inside);
  }
  return found;
}

PathMap::Found PathMap::by_pattern(const std::string& path, bool inside) const {
  PathClasses found = 0;
  PathClasses out = 0;
  const auto count = [&](const Entry& entry) { (entry.takes_out ? out : found) |= entry.bit; };
  for (const Entry& entry : globs_) {
    if (inside && !entry.inside) continue;
    if (path.compare(0, entry.head, entry.path, 0, entry.head) != 0) continue;
    // The entry itself, or a directory above the path that matches it.
    auto components = std::count(entry.path.begin(), entry.path.end(), '/');
    std::size_t end = 0;
    while (components > 0 && end != std::string::npos) {
      end = path.find('/', end + 1);
      --components;
    }
    if (components > 0) continue;
    const std::string_view head = std::string_view(path).substr(0, end);
    if (entry.only_itself && end != std::string::npos) continue;
    if (component_match(entry.path, head)) count(entry);
  }
  if (!inside) return {found & ~out, out};
  const std::string_view rest = std::string_view(path).substr(workspace_.size());
  for (std::size_t at = rest.find('/'); at != std::string_view::npos; at = rest.find('/', at + 1)) {
    const std::string_view below = rest.substr(at + 1);
    const auto entries = anywhere_.find(below.substr(0, below.find('/')));
    if (entries == anywhere_.end()) continue;
    for (const Entry& entry : entries->second) {
      if (rest.compare(at, entry.path.size(), entry.path) != 0) continue;
      const std::size_t end = at + entry.path.size();
      if (end == rest.size() || (rest[end] == '/' && !entry.only_itself)) count(entry);
    }
  }
  const std::size_t slash = rest.rfind('/');
  if (slash == std::string_view::npos) return {found & ~out, out};
  for (const Entry& entry : anywhere_globs_)
    if (component_match(entry.path, rest.substr(slash))) count(entry);
  return {found & ~out, out};
}

// Returns the classes of the path itself.
PathClasses PathMap::itself(const std::string& path, bool inside) const {
  const Found exact = up(path, inside);
  const Found patterns = by_pattern(path, inside);
  return (exact.classes & ~patterns.out) | (patterns.classes & ~exact.out);
}

// Returns the classes of entries directly below the path that a pattern, if given, may match.
PathClasses PathMap::one_below(const PathQuestion& question, bool inside,
                               std::size_t* looked) const {
  PathClasses found = itself(question.path, inside);
  const auto marks_of_it = exact_.find(question.path);
  if (marks_of_it != exact_.end())
    found &= ~(marks_of_it->second.itself & ~marks_of_it->second.below);
  found |= below(question, inside, looked);
  if (!inside || question.pattern.find_first_not_of("*?[") != 0) return found;
  // A pattern that begins as such a name does: .g*, .[!.]*, id_*.
  for (const auto& [name, entries] : anywhere_) {
    ++*looked;
    if (!component_match(question.pattern, name)) continue;
    for (const Entry& entry : entries) {
      const bool is_whole = entry.path.size() == name.size() + 1;
      if (!entry.takes_out && (is_whole || question.recursive)) found |= entry.bit;
    }
  }
  return found;
}

PathClasses PathMap::classify(const PathQuestion& question, PathClasses* own,
                              std::size_t* looked) const {
  *own = 0;
  std::size_t unasked = 0;
  if (looked == nullptr) looked = &unasked;
  const std::string& path = question.path;
  if (path.empty()) return *own = kUnknownPath;
  const bool inside = !workspace_.empty() && is_within(path, workspace_);
  const bool above = !inside && !workspace_.empty() && is_within(workspace_, path);
  *own = inside ? kInWorkspace : kOutside;
  if (question.hole && !question.contents) {
    *own |= kPartlyKnown | itself(path, inside);
    PathClasses found = *own | one_below(question, inside, looked);
    // The hole may be the workspace, or a directory above it.
    if (above) {
      const std::string rest = workspace_.substr(path == "/" ? 1 : path.size() + 1);
      const std::string_view component = std::string_view(rest).substr(0, rest.find('/'));
      if (question.pattern.empty() || component_match(question.pattern, component))
        found |= kHoldsWorkspace;
    }
    return found;
  }
  *own |= itself(path, inside);
  if (inside && path == workspace_) *own |= kWorkspaceRoot;
  if (above) *own |= kHoldsWorkspace;
  const bool covers = question.recursive || question.contents;
  return covers ? *own | below(question, inside, looked) : *own;
}

}  // namespace gibbous::command
