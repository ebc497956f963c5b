// Links that a pattern matches, or that lie behind what it matches: `rm -rf */x` follows a link out
// of the workspace, as the shell does.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxLinks = 512;  // found by all patterns of one line
// The work for the patterns of one line, in units of some 10 ns: about 3,000 directories with
// 30,000 names, or 1,200 links. It is apart from the work for the line itself, so that a short line
// in a large tree has one part that is not known, and is not refused whole.
constexpr std::size_t kMostLinkWork = std::size_t{3} << 20;
constexpr std::size_t kMatchCost = 2500;  // a path is resolved
constexpr std::size_t kListCost = 800;    // for a directory,
constexpr std::size_t kEntryCost = 30;    // its entries,
constexpr std::size_t kListedCost = 8;    // and for each when it is looked at
constexpr std::size_t kMaxLinkedPath = 4096;

constexpr PathClasses kPlainlyInside = kInWorkspace | kWorkspaceRoot;

bool is_pattern(std::string_view component) {
  return component.find_first_of("*?[(") != std::string_view::npos;
}

// As shells match: a leading dot only by a dot.
bool shell_match(std::string_view pattern, std::string_view name) {
  if (pattern.find('(') != std::string_view::npos) return true;  // @(.|..) matches dots, too
  if (name[0] == '.' && pattern[0] != '.') return false;
  return component_match(pattern, name);
}

}  // namespace

// Package managers link thousands of directories of a workspace to one another.
bool Analyser::stays_inside(const Access& as, const std::string& path, const std::string& real) {
  PathQuestion question;
  question.recursive = as.recursive;
  for (const std::string& each : {real, normalize(path)}) {
    question.path = each;
    PathClasses own = 0;
    std::size_t looked = 0;
    if ((map_->classify(question, &own, &looked) & ~kPlainlyInside) != 0) return false;
    if (!spend_on_links(looked * kListedCost)) return false;
  }
  return true;
}

bool Analyser::spend_on_links(std::size_t work) {
  if (over_ || link_work_ > kMostLinkWork) return false;
  link_work_ += work;
  return link_work_ <= kMostLinkWork;
}

// `rest` begins with a slash; `linked`: a link was passed. Returns false if there were too many
// matches to look at.
bool Analyser::find_links(const Access& as, const std::string& directory, std::string_view rest,
                          bool linked, std::vector<std::string>* into) {
  const std::size_t begin = rest.find_first_not_of('/');
  if (begin == std::string_view::npos || directory.size() > kMaxLinkedPath) return true;
  const std::size_t end = std::min(rest.find('/', begin), rest.size());
  const std::string_view component = rest.substr(begin, end - begin);
  const std::string_view behind = rest.substr(end);
  const bool last = behind.find_first_not_of('/') == std::string_view::npos;
  const auto leads_away = [&](const std::string& path) {
    if (!spend_on_links(kMatchCost)) return false;
    const auto real = place_.resolve(path);
    if (!real || *real == normalize(path) || stays_inside(as, path, *real)) return true;
    into->push_back(behind.empty() ? path : path + "/");
    return ++links_found_ < kMaxLinks;
  };
  if (!is_pattern(component)) {
    const std::string next = directory + "/" + std::string(component);
    if (last) return leads_away(next);
    if (!linked) {
      if (!spend_on_links(kMatchCost)) return false;
      const auto real = place_.resolve(next);
      linked = real && *real != normalize(next);
    }
    return find_links(as, next, behind, linked, into);
  }
  // .* is the directory itself, too.
  if (!last && shell_match(component, ".") &&
      !find_links(as, directory + "/.", behind, linked, into))
    return false;
  auto listed = listed_.find(directory);
  if (listed == listed_.end()) {
    if (!spend_on_links(kListCost)) return false;
    listed = listed_.emplace(directory, place_.list(directory)).first;
    if (!spend_on_links(listed->second.size() * kEntryCost)) return false;
  }
  if (!spend_on_links(listed->second.size() * kListedCost)) return false;
  for (const DirectoryEntry& entry : listed->second) {
    if (!shell_match(component, entry.name)) continue;
    const std::string next = directory + "/" + entry.name;
    if (last) {
      // A link that is removed is not followed.
      const bool followed = entry.link && (as.kind != AccessKind::kRemove || !behind.empty());
      if ((linked || followed) && !leads_away(next)) return false;
    } else if (entry.link || entry.directory) {
      if (!find_links(as, next, behind, linked || entry.link, into)) return false;
    }
  }
  return true;
}

// Returns true the first time. The same pattern may stand in a command thousands of times.
bool Analyser::looks_for_links(const Access& as, const std::string& known,
                               const std::string& rest) {
  LinkSearch& last = last_links_;
  if (last.command == facts_.commands.size() && last.kind == as.kind &&
      last.recursive == as.recursive && last.rest == rest && last.known == known)
    return false;
  last = {facts_.commands.size(), as.kind, as.recursive, known, rest};
  std::string key = std::to_string(last.command) + name_of(as.kind);
  key += (as.recursive ? "r" : "/") + known + "//" + rest;
  return looked_for_links_.insert(std::move(key)).second;
}

// Adds what a path with patterns touches through links. `known` is absolute: what stands before the
// first pattern.
void Analyser::add_links(const Access& as, const std::string& known, const std::string& rest,
                         std::vector<Access>* into) {
  std::vector<std::string> links;
  const bool all = find_links(as, known == "/" ? "" : known, rest, false, &links);
  for (const std::string& link : links) {
    std::vector<Access> found;
    add_access(as.kind, as.recursive, Value{link}, as.argument, as.redirection, {}, &found);
    for (Access& access : found) {
      access.written = as.written;
      if ((access.classes & ~kPlainlyInside) != 0) into->push_back(std::move(access));
    }
  }
  if (all) return;
  Access unknown = as;
  unknown.path.clear();
  unknown.classes = unknown.own = kUnknownPath | map_->by_name(rest) | map_->entered();
  into->push_back(std::move(unknown));
}

}  // namespace gibbous::command
