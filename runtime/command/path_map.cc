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

constexpr std::size_t kMaxNameLength = 63;

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

namespace {

// Returns true if the bracket expression may match a dot; `inside` is what stands between [ and ].
bool may_be_dot(std::string_view inside) {
  const bool negated = !inside.empty() && (inside[0] == '!' || inside[0] == '^');
  if (negated) inside.remove_prefix(1);
  if (inside.find("[:") != std::string_view::npos || inside.find("[.") != std::string_view::npos ||
      inside.find("[=") != std::string_view::npos)
    return true;
  bool dot = false;
  for (std::size_t at = 0; at < inside.size(); ++at) {
    const bool range = at + 2 < inside.size() && inside[at + 1] == '-';
    dot = dot || (range ? inside[at] <= '.' && '.' <= inside[at + 2] : inside[at] == '.');
    if (range) at += 2;
  }
  return dot != negated;
}

}  // namespace

bool delimits_path(char byte) {
  return kDelimiters[static_cast<unsigned char>(byte)];
}

bool may_match_parent(std::string_view glob) {
  if (glob.find('(') != std::string_view::npos) return glob.find('.') != std::string_view::npos;
  // Only a dot that is written matches a leading dot.
  if (glob.empty() || glob[0] != '.') return false;
  bool dot = false;  // the second one
  for (std::size_t at = 1; at < glob.size(); ++at) {
    if (glob[at] == '*') continue;
    if (dot) return false;
    dot = true;
    if (glob[at] == '?' || glob[at] == '.') continue;
    const std::size_t close =
        glob[at] == '[' ? glob.find(']', std::min(at + 2, glob.size())) : std::string_view::npos;
    if (close == std::string_view::npos || !may_be_dot(glob.substr(at + 1, close - at - 1)))
      return false;
    at = close;
  }
  return dot || glob.find('*') != std::string_view::npos;
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
      const bool anywhere = text.rfind(kAnywhere, 0) == 0;
      if (anywhere) {
        entry.inside = true;
        entry.path = text.substr(kAnywhere.size() - 1);
        if (!entry.takes_out && entry.path.rfind("/.", 0) == 0 &&
            entry.path.find('/', 1) == std::string::npos)
          map->dot_names_[entry.path.substr(1)] |= entry.bit;
        if (spec.named && !entry.takes_out) map->add_name(entry.path);
        const std::string_view below = std::string_view(entry.path).substr(1);
        map->anywhere_[std::string(below.substr(0, below.find('/')))].push_back(entry);
        if (entry.path.find('*') != std::string::npos) {
          entry.measure();
          map->anywhere_globs_.push_back(entry);
        }
        continue;
      }
      for (const std::string& path : expand_entry(text, place)) {
        entry.path = normalize(path);
        // Directories above the workspace say nothing about its contents.
        const bool above = !map->workspace_.empty() && is_within(map->workspace_, entry.path);
        entry.inside = spec.inside || !above;
        if (spec.named && !entry.takes_out) map->add_name(entry.path);
        map->add(entry);
        // A link must not exclude anything.
        const bool device = is_within(entry.path, "/dev") || is_within(entry.path, "/proc");
        if (!place.resolve || entry.takes_out || device || has_glob(entry.path)) continue;
        const auto real = place.resolve(entry.path);
        if (!real || *real == entry.path || *real == "/") continue;
        Entry other = entry;
        other.path = *real;
        if (spec.named) map->add_name(other.path);
        map->add(std::move(other));
      }
    }
    bit <<= 1;
  }
  map->is_workspace_named_ = map->has_named_class(map->workspace_);
  return map;
}

bool PathMap::is_named(const std::string& directory) const {
  // Most lines ask about the workspace.
  return directory == workspace_ ? is_workspace_named_ : has_named_class(directory);
}

bool PathMap::has_named_class(const std::string& directory) const {
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
  for (const auto& [path, bits] : sorted_) {
    const auto marks = exact_.find(path);
    const PathClasses below = marks == exact_.end() ? 0 : marks->second.below;
    if ((bits & ~found) == 0) continue;
    if (overlaps(parts, path, false)) found |= below;
    if (overlaps(parts, path, true)) found |= bits;
  }
  for (const Entry& entry : globs_) {
    if (!entry.takes_out && overlaps(parts, entry.path, entry.only_itself)) found |= entry.bit;
  }
  return found;
}

void PathMap::add_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.rfind("*.", 0) == 0) name.remove_prefix(1);
  // A pattern says nothing about its letters.
  any_name_ = any_name_ || name.empty() || has_glob(name) || name.size() >= kMaxNameLength;
  if (name.find(' ') != std::string_view::npos) blank_names_.emplace_back(name);
  names_.emplace(name);
  name_lengths_ |= std::uint64_t{1} << std::min<std::size_t>(name.size(), kMaxNameLength);
}

bool PathMap::may_name_with_blank(std::string_view text) const {
  return std::any_of(blank_names_.begin(), blank_names_.end(), [&](const std::string& name) {
    return text.find(name) != std::string_view::npos;
  });
}

bool PathMap::may_name(std::string_view text, bool globs) const {
  if (any_name_) return true;
  const auto has = [&](std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    return size < kMaxNameLength && (name_lengths_ >> size & 1) != 0 &&
           names_.find(text.substr(begin, size)) != names_.end();
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
    const auto named = part[0] == '.' ? dot_names_.find(std::string(part)) : dot_names_.end();
    if (named != dot_names_.end()) found |= named->second;
  }
  return found;
}

void PathMap::Entry::measure() {
  constexpr std::string_view kSpecial = "*?[]";
  slashes = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  head = std::min(path.find_first_of(kSpecial), path.size());
  const std::size_t last = path.find_last_of(kSpecial);
  tail = last == std::string::npos ? path.size() : path.size() - last - 1;
}

bool PathMap::Entry::may_match(std::string_view text) const {
  const std::string_view glob = path;
  return text.size() >= std::max(head, tail) && text.substr(0, head) == glob.substr(0, head) &&
         text.substr(text.size() - tail) == glob.substr(glob.size() - tail);
}

void PathMap::add(Entry entry) {
  const std::size_t slash = entry.path.rfind('/');
  if (!entry.takes_out && slash + 1 < entry.path.size() && entry.path[slash + 1] == '.')
    dot_names_[entry.path.substr(slash + 1)] |= entry.bit;
  if (has_glob(entry.path)) {
    entry.measure();
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
  sorted_[entry.path] |= entry.bit;
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

// Returns the classes of entries below the path.
PathClasses PathMap::below(const std::string& path, bool inside, std::size_t* looked) const {
  PathClasses found = 0;
  const std::string prefix = path == "/" ? path : path + "/";
  for (auto at = sorted_.lower_bound(prefix); at != sorted_.end(); ++at) {
    if (at->first.compare(0, prefix.size(), prefix) != 0) break;
    ++*looked;
    PathClasses here = at->second;
    if (inside) {
      const auto marks = exact_.find(at->first);
      if (marks != exact_.end()) here &= marks->second.inside;
    }
    found |= here;
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
    std::size_t components = entry.slashes;
    std::size_t end = 0;
    while (components > 0 && end != std::string::npos) {
      end = path.find('/', end + 1);
      --components;
    }
    if (components > 0) continue;
    const std::string_view head = std::string_view(path).substr(0, end);
    if (entry.only_itself && end != std::string::npos) continue;
    if (entry.may_match(head) && component_match(entry.path, head)) count(entry);
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
  for (const Entry& entry : anywhere_globs_) {
    const std::string_view name = rest.substr(slash);
    if (entry.may_match(name) && component_match(entry.path, name)) count(entry);
  }
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
  const std::string prefix = question.path == "/" ? question.path : question.path + "/";
  for (auto at = sorted_.lower_bound(prefix); at != sorted_.end(); ++at) {
    if (at->first.compare(0, prefix.size(), prefix) != 0) break;
    ++*looked;
    const std::string_view rest = std::string_view(at->first).substr(prefix.size());
    const std::string_view component = rest.substr(0, rest.find('/'));
    const bool deeper = component.size() < rest.size();
    if (deeper && !question.recursive) continue;
    if (!question.pattern.empty() && !component_match(question.pattern, component)) continue;
    PathClasses here = at->second;
    const auto marks = exact_.find(at->first);
    if (inside && marks != exact_.end()) here &= marks->second.inside;
    found |= here;
  }
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
  return covers ? *own | below(path, inside, looked) : *own;
}

}  // namespace gibbous::command
