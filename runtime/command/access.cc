// The paths and hosts that a command names, with their classes.
#include <algorithm>
#include <climits>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxDetail = 120;
constexpr std::size_t kMaxPathBytes = PATH_MAX;
constexpr char kHoleMark = '\x01';
// Costs, in bytes of text.
constexpr std::size_t kAccessCost = 128;
constexpr std::size_t kHoleCost = 96;  // for the entries that may lie below it
// A long path has many directories above it, each of which may have a class.
constexpr std::size_t kUsualPathBytes = 256;
constexpr std::size_t kLongPathCost = 32;
constexpr std::size_t kResolveCost = 512;
constexpr std::size_t kEntryBelowCost = 3;  // of each that is compared with what may lie below
constexpr std::size_t kPatternCost = 1024;

}  // namespace

// `start` is the directory in which the shell starts the command.
void Analyser::add_accesses(const Arguments& arguments, const Directory& start,
                            SimpleCommand* command) {
  const ProgramSpec* spec = arguments.spec;
  Directory from = start;  // make -C DIR and git -C DIR change it for later paths
  const auto enter = [&](const ProgramSpec* each) {
    if (each == nullptr || each->cwd.empty()) return;
    for (const Selected& selected : select(command->argv, arguments, each->cwd)) {
      add_access(AccessKind::kEnter, false, selected.value, selected.argument, false, from,
                 &command->accesses);
      from = reached(from, selected.value);
    }
  };
  enter(arguments.program);
  if (arguments.program != spec) enter(spec);
  if (command->program_word.text.find('/') != std::string::npos) {
    add_access(AccessKind::kExecute, false, command->program_word, 0, false, start,
               &command->accesses);
  }
  const auto apply = [&](const ProgramSpec* each) {
    if (each == nullptr) return;
    const bool recursive = any_flag(command->argv, arguments, each->recursive);
    for (const AccessSpec& access : each->accesses) {
      if (!access.when.empty() && !any_flag(command->argv, arguments, access.when)) continue;
      if (any_flag(command->argv, arguments, access.unless)) continue;
      std::vector<Selected> touched = select(command->argv, arguments, access.selectors);
      // Without a path, find lists the working directory.
      if (touched.empty() && each->lists && arguments.operands.empty()) {
        touched.push_back({Value{"."}, -1});
      }
      for (const Selected& selected : touched) {
        add_access(access.kind, recursive || access.recursive, selected.value, selected.argument,
                   false, from, &command->accesses);
      }
    }
  };
  apply(spec);
  if (arguments.program != spec) apply(arguments.program);
}

// The known part of a path with holes, which keeps its ".." because a link may stand before one.
// After a hole, a ".." leads to the parent of whatever the hole becomes, which may be a link, or
// nothing at all: then the result is only one reading, and `ascends` says so.
Analyser::PathPattern Analyser::path_pattern(const Value& value) {
  PathPattern made;
  const std::string& text = value.text;
  std::vector<std::string> kept;
  const bool absolute = text[0] == '/';
  std::size_t at = 0;
  auto hole = value.holes.begin();
  made.only_globs = true;
  bool after = false;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    std::string part = text.substr(at, end - at);
    bool holed = false;
    std::string fixed;  // what is left of the component if its unknown parts are empty
    std::size_t from = at;
    while (hole != value.holes.end() && hole->begin < end) {
      holed = true;
      if (hole->kind != Value::Hole::Kind::kGlob) {
        made.only_globs = false;
        if (hole->begin > from) fixed += text.substr(from, hole->begin - from);
        from = std::max<std::size_t>(from, hole->end);
      }
      if (hole->end > end) break;
      ++hole;
    }
    if (from < end) fixed += text.substr(from, end - from);
    if (holed && fixed == "..") made.ascends = true;
    at = end + 1;
    if (!holed && (part.empty() || part == ".")) continue;
    if (!holed && part == ".." && after) {
      made.ascends = true;
      if (!kept.empty() && kept.back() != "..") {
        kept.pop_back();
      } else if (!absolute) {
        kept.emplace_back("..");
      }
      continue;
    }
    after = after || holed;
    if (holed) part = kHoleMark + part;
    kept.push_back(std::move(part));
  }
  std::size_t first = 0;
  while (first < kept.size() && kept[first][0] != kHoleMark) ++first;
  made.hole = first < kept.size();
  made.known = absolute ? "/" : "";
  for (std::size_t each = 0; each < first; ++each)
    made.known += (each == 0 ? "" : "/") + kept[each];
  if (made.known.empty()) made.known = ".";
  if (!made.hole) return made;
  made.component = kept[first].substr(1);
  for (std::size_t each = first; each < kept.size(); ++each) {
    const bool marked = kept[each][0] == kHoleMark;
    made.rest += "/" + (marked ? (made.only_globs ? kept[each].substr(1) : "*") : kept[each]);
    if (each > first) made.deeper = true;
  }
  return made;
}

// Returns true if a component with a pattern may match "..": `.*`, which some shells let match it.
// rm and mv refuse it as the last component.
bool Analyser::may_ascend(AccessKind kind, const Value& value) {
  const std::string& text = value.text;
  return std::any_of(value.holes.begin(), value.holes.end(), [&](const Value::Hole& hole) {
    const std::size_t slash = text.rfind('/', hole.begin);
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const std::size_t end = std::min(text.find('/', hole.begin), text.size());
    const bool last = text.find_first_not_of('/', end) == std::string::npos;
    return hole.kind == Value::Hole::Kind::kGlob && !(last && kind == AccessKind::kRemove) &&
           may_match_parent(std::string_view(text).substr(begin, end - begin));
  });
}

// "a$UNSET/link": without the unknown parts, a link may lead out.
void Analyser::add_without_unknown(AccessKind kind, bool recursive, const Value& value,
                                   int argument, bool redirection, const Directory& from,
                                   std::vector<Access>* into) {
  Value rest = value;
  rest.holes.clear();
  std::size_t cut = 0;
  for (Value::Hole hole : value.holes) {
    hole.begin -= static_cast<std::uint32_t>(cut);
    hole.end -= static_cast<std::uint32_t>(cut);
    if (hole.kind == Value::Hole::Kind::kGlob) {
      rest.holes.push_back(hole);
      continue;
    }
    rest.text.erase(hole.begin, hole.end - hole.begin);
    cut += hole.end - hole.begin;
  }
  std::vector<Access> found;
  add_access(kind, recursive, rest, argument, redirection, from, &found);
  for (Access& access : found)
    if ((access.classes & kOutside) != 0) into->push_back(std::move(access));
}

void Analyser::add_access(AccessKind kind, bool recursive, const Value& value, int argument,
                          bool redirection, const Directory& from, std::vector<Access>* into) {
  const std::string& text = value.text;
  if (text.empty() || (text == "-" && value.literal() && !redirection)) return;
  if (redirection && text == "/dev/null" && value.literal()) return;
  if (!spend(text.size() + kAccessCost + (value.holes.empty() ? 0 : kHoleCost))) return;
  Access made;
  made.kind = kind;
  made.recursive = recursive;
  made.redirection = redirection;
  made.written = text.substr(0, kMaxDetail);
  made.argument = argument;
  const auto unknown = [&](PathClasses besides) {
    made.classes = made.own = kUnknownPath | besides | map_->entered();
    into->push_back(std::move(made));
  };
  if (text.size() >= kMaxPathBytes) {
    unknown(0);
    return;
  }

  PathQuestion question;
  question.recursive = recursive;
  std::string known = text;
  std::string rest;
  std::string matched;   // from the first pattern on, where directories tell what it matches
  bool empties = false;  // its unknown parts may be empty
  const std::size_t before = into->size();
  if (!value.holes.empty()) {
    const PathPattern pattern = path_pattern(value);
    const Value::Hole& first = value.holes.front();
    const bool from_unknown = first.begin == 0 && first.kind != Value::Hole::Kind::kGlob;
    const bool up = may_ascend(kind, value);
    if (from_unknown || pattern.ascends || up) {
      Access anywhere = made;
      anywhere.classes = anywhere.own =
          kUnknownPath | map_->by_name(pattern.known + "/" + pattern.rest) | map_->entered();
      if (up) anywhere.classes |= kHoldsWorkspace;
      into->push_back(std::move(anywhere));
      if (from_unknown) return;
    }
    empties = place_.resolve && !pattern.only_globs;
    question.hole = pattern.hole;
    known = pattern.known;
    if (pattern.hole) {
      if (pattern.only_globs) question.pattern = pattern.component;
      const bool everything = pattern.component.find_first_not_of("*.?") == std::string::npos;
      question.contents = pattern.only_globs && everything && !pattern.deeper;
      if (pattern.deeper) rest = pattern.rest;
      if (pattern.only_globs && place_.list && place_.resolve) {
        matched = pattern.rest;
        if (text.back() == '/') matched += '/';  // follows a link at the end
      }
    }
  }
  // Removing a link removes the link itself, unless a slash follows its name.
  const bool itself = kind == AccessKind::kRemove && !question.hole && text.back() != '/';
  const auto add = [&](const std::string& absolute) {
    if (absolute.size() > kUsualPathBytes && !spend(absolute.size() * kLongPathCost)) return;
    Access each = made;
    const std::string lexical = normalize(absolute);
    std::string path = lexical;
    if (place_.resolve) {
      const std::size_t slash = absolute.find_last_of('/');
      const std::string name = absolute.substr(slash + 1);
      const bool link = itself && path.size() > 1 && !name.empty() && name != "." && name != "..";
      const std::string head = !link ? absolute : slash == 0 ? "/" : absolute.substr(0, slash);
      auto found = resolved_.find(head);
      if (found == resolved_.end()) {
        if (!spend(kResolveCost)) return;
        found = resolved_.emplace(head, place_.resolve(head)).first;
      }
      if (!found->second) {
        doubt_next(Doubt::kUnansweredPath, head);
      } else {
        path = link ? join(*found->second, name) : *found->second;
      }
    }
    question.path = path;
    std::size_t looked = 0;
    each.classes = map_->classify(question, &each.own, &looked);
    if (!spend(looked * kEntryBelowCost)) return;
    if (path != lexical) {  // the name as written may have further classes
      question.path = lexical;
      const PathClasses of_policy = ~((PathClasses{1} << kFirstOwnClass) - 1);
      PathClasses own = 0;
      each.classes |= map_->classify(question, &own) & of_policy;
      each.own |= own & of_policy;
    }
    if (!rest.empty() && spend(kPatternCost)) {
      // Loops ask about the same pattern again and again.
      const auto [known_classes, is_new] = may_match_.try_emplace(path == "/" ? rest : path + rest);
      if (is_new) known_classes->second = map_->may_match(known_classes->first);
      const PathClasses more = known_classes->second;
      each.classes |= more;
      each.own |= more;
    }
    each.contents = question.contents;
    each.path = std::move(path);
    into->push_back(std::move(each));
    if (matched.empty() || !looks_for_links(into->back(), into->back().path, matched)) return;
    const Access as = into->back();
    add_links(as, as.path, matched, into);
  };
  if (known[0] == '/') {
    add(known);
  } else {
    for (const std::string& directory : from.paths) add(directory + "/" + known);
    if (from.unknown || from.paths.empty()) unknown(rest.empty() ? 0 : map_->by_name(rest));
  }
  if (!empties) return;
  const auto inside = [](const Access& access) { return (access.classes & kInWorkspace) != 0; };
  if (std::any_of(into->begin() + static_cast<std::ptrdiff_t>(before), into->end(), inside))
    add_without_unknown(kind, recursive, value, argument, redirection, from, into);
}

// "https://user@host:80/path", "user@host:path", "host:80", "host"
void Analyser::add_hosts(const Arguments& arguments, SimpleCommand* command) {
  const ProgramSpec* spec = arguments.spec;
  if (spec == nullptr || spec->hosts.empty()) return;
  for (const Selected& selected : select(command->argv, arguments, spec->hosts)) {
    const Value& value = selected.value;
    std::string text = value.text;
    const std::size_t scheme = text.find("://");
    std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    std::size_t end = std::min(text.find_first_of("/?#", begin), text.size());
    if (scheme == std::string::npos && begin == 0 && text.find('/') == 0) continue;  // a path
    const std::size_t at = text.rfind('@', end);
    if (at != std::string::npos && at >= begin && at < end) begin = at + 1;
    const bool known = value.literal() || value.holes.front().begin >= end;
    if (!known) {
      command->hosts.emplace_back("");
      continue;
    }
    std::string host = text.substr(begin, end - begin);
    if (!host.empty() && host[0] == '[') {
      host = host.substr(1, host.find(']') - 1);
    } else if (std::count(host.begin(), host.end(), ':') == 1) {
      host.resize(host.find(':'));
    }
    std::transform(host.begin(), host.end(), host.begin(),
                   [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
    command->hosts.push_back(std::move(host));
  }
}

}  // namespace gibbous::command
