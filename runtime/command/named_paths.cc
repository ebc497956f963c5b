// Paths that words name in any way, for the classes that count there (Knowledge's `named`): as a
// whole, behind = : , @ or an option's letter, in a URL of a file, in a list, in code and in text
// that a program reads. What the program does with them is not known, so each is an access of its
// own kind.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"
#include "runtime/command/glob.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxNamed = 64;      // paths that one word names
constexpr std::size_t kMaxLinkName = 256;  // longer words are not looked up as links
constexpr std::size_t kMaxLines = 4096;    // of text that a program reads
constexpr std::size_t kLinkCost = 512;     // in bytes of text
constexpr std::size_t kNamedCost = 256;
constexpr std::size_t kMaxWritten = 120;

constexpr std::string_view kPathBlanks = " \t\r\n";

// Returns the bytes [begin, end) of a value, with their holes.
Value cut_out(const Value& value, std::size_t begin, std::size_t end) {
  Value made = tail_of(value, begin);
  const auto size = static_cast<std::uint32_t>(end - begin);
  made.text.resize(size);
  while (!made.holes.empty() && made.holes.back().begin >= size) made.holes.pop_back();
  if (!made.holes.empty()) made.holes.back().end = std::min(made.holes.back().end, size);
  return made;
}

// The beginning of a path that stands for the home directory in text that no shell expands, or 0.
std::size_t home_prefix(std::string_view text) {
  for (const std::string_view each : {"~/", "$HOME/", "${HOME}/"})
    if (text.rfind(each, 0) == 0) return each.size() - 1;
  return 0;
}

// A part of a word that may be a path.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool enclosed = false;  // in quotes, or between other delimiters than blanks
  bool coded = false;     // of a file: URL
};

// The parts of a word between its delimiters, without URLs of other machines.
std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> all;
  std::size_t at = 0;
  while (at < text.size() && all.size() < kMaxNamed) {
    if (delimits_path(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !delimits_path(text[end])) ++end;
    if (text.compare(end, 3, "://") == 0) {
      const std::string_view scheme = text.substr(at, end - at);
      const bool file = scheme.size() >= 4 && scheme.substr(scheme.size() - 4) == "file";
      if (file || text.compare(end, 4, ":///") == 0) {  // file://HOST/PATH, sqlite:///PATH
        at = std::min(text.find('/', end + 3), text.size());
        end = at;
        while (end < text.size() && !delimits_path(text[end])) ++end;
        if (end > at) all.push_back({at, end, true, true});
        at = end;
      } else {
        at = std::min(text.find_first_of(" \t\r\n\"'`|<>", end), text.size());
      }
      continue;
    }
    const auto is_edge = [&](std::size_t byte) {
      return kPathBlanks.find(text[byte]) == std::string_view::npos;
    };
    const bool before = at > 0 && is_edge(at - 1);
    const bool after = end < text.size() && is_edge(end);
    all.push_back({at, end, before && after, false});
    at = end;
  }
  return all;
}

}  // namespace

bool Analyser::stands_in_named(const Directory& from) {
  return std::any_of(from.paths.begin(), from.paths.end(), [&](const std::string& path) {
    const auto found = in_named_.find(path);
    if (found != in_named_.end()) return found->second;
    return in_named_[path] = map_->is_named(normalize(path));
  });
}

// Adds the paths that a word names. `whole`: it may itself be one, as far as nothing else is known
// of it; `links`: it may be a link to one.
void Analyser::add_named(const Value& value, int argument, bool whole, bool links,
                         const Directory& from, std::vector<Access>* into) {
  const std::string& text = value.text;
  const bool globs = !value.holes.empty();
  const bool near = stands_in_named(from);
  if (text.empty()) return;
  if (!near && !links && !map_->may_name(text, globs)) return;
  const std::size_t before = into->size();
  const bool prose = text.find_first_of(kPathBlanks) != std::string::npos;
  const auto consider = [&](const Piece& piece) {
    if (piece.end <= piece.begin) return;
    const auto covers = [&](const Value::Hole& hole) {
      return hole.begin < piece.begin && piece.begin < hole.end;
    };
    if (std::any_of(value.holes.begin(), value.holes.end(), covers)) return;
    const std::string_view part =
        std::string_view(text).substr(piece.begin, piece.end - piece.begin);
    const bool slash = part.find('/') != std::string_view::npos;
    // ".env" in a sentence is no path of this command.
    if (prose && !slash && !piece.enclosed) return;
    const bool coded = piece.coded && part.find('%') != std::string_view::npos;
    const std::size_t home = home_prefix(part);
    bool hot = coded || (near && part[0] != '/' && home == 0) || map_->may_name(part, globs);
    if (!hot && links && !globs && part[0] != '-' && part.size() < kMaxLinkName && place_.resolve &&
        !from.paths.empty() && spend(kLinkCost)) {
      const std::string path =
          part[0] == '/' ? std::string(part) : from.paths.front() + "/" + std::string(part);
      const auto real = place_.resolve(path);
      hot = real && *real != normalize(path);
    }
    if (!hot || !spend(kNamedCost)) return;
    if (coded) {  // which bytes stand for others is not examined: it may be any path
      Access any;
      any.kind = AccessKind::kName;
      any.written = std::string(part.substr(0, kMaxWritten));
      any.argument = argument;
      any.classes = any.own = kUnknownPath | map_->named();
      into->push_back(std::move(any));
      return;
    }
    Value path = cut_out(value, piece.begin, piece.end);
    if (home > 0 && !place_.home.empty()) {
      path.text = place_.home + path.text.substr(home);
      for (Value::Hole& hole : path.holes) {
        hole.begin = static_cast<std::uint32_t>(hole.begin + place_.home.size() - home);
        hole.end = static_cast<std::uint32_t>(hole.end + place_.home.size() - home);
      }
    }
    std::vector<Access> found;
    add_access(AccessKind::kName, false, path, argument, false, from, &found);
    for (Access& access : found) {
      const auto same = [&](const Access& each) { return each.path == access.path; };
      if ((access.classes & map_->named()) != 0 &&
          std::none_of(into->begin() + static_cast<std::ptrdiff_t>(before), into->end(), same))
        into->push_back(std::move(access));
    }
  };
  const std::vector<Piece> pieces = pieces_of(text);
  const bool single = pieces.size() == 1 && pieces[0].end - pieces[0].begin == text.size();
  if (whole && (!prose || map_->may_name_with_blank(text)) &&
      (single || text.find("://") == std::string::npos))
    consider({0, text.size(), true, false});
  for (const Piece& piece : pieces) {
    if (!single) consider(piece);
    // Glued to something: x/home/user/.kube/config
    const std::size_t at_home =
        place_.home.size() > 1 ? text.find(place_.home + "/", piece.begin) : std::string::npos;
    if (at_home > piece.begin && at_home < piece.end) consider({at_home, piece.end, true, false});
    // -dPATH, -Xd/PATH
    if (piece.begin != 0 || text[0] != '-' || text.size() < 3 || text[1] == '-') continue;
    consider({2, piece.end, true, false});
    const std::size_t root = std::min(text.find('/', 3), text.find("~/", 3));
    if (root < piece.end) consider({root, piece.end, true, false});
  }
}

// Returns true if the word is text to the program, or a pattern.
bool Analyser::is_text(const SimpleCommand& command, const Arguments& arguments, int argument) {
  const auto selects = [&](const ProgramSpec* spec) {
    if (spec == nullptr) return false;
    if (spec->prints && !any_flag(command.argv, arguments, {"-v"})) return true;
    const auto is_it = [&](const Selected& each) { return each.argument == argument; };
    const auto names = [&](const std::vector<Selector>& selectors) {
      const std::vector<Selected> found = select(command.argv, arguments, selectors);
      return std::any_of(found.begin(), found.end(), is_it);
    };
    if (names(spec->text)) return true;
    // Code is read as code.
    return std::any_of(spec->runs.begin(), spec->runs.end(), [&](const RunsSpec& runs) {
      using How = RunsSpec::How;
      const bool code = runs.how == How::kShell || runs.how == How::kCode;
      return code && runs.strip_prefix.empty() && names(runs.from);
    });
  };
  if (selects(arguments.spec)) return true;
  if (arguments.program != arguments.spec && selects(arguments.program)) return true;
  const auto at = static_cast<std::size_t>(argument);
  const auto names_text = [&](std::string_view option) {
    if (option.size() < 2 || option[0] != '-') return false;
    option = option.substr(0, option.find('='));
    return std::any_of(knowledge_.text.begin(), knowledge_.text.end(),
                       [&](const std::string& glob) { return glob_matches(glob, option); });
  };
  if (names_text(command.argv[at].text)) return true;
  const std::string& before = command.argv[at - 1].text;
  return at > 1 && before.find('=') == std::string::npos && names_text(before);
}

// Adds its working directory, where that has a class that counts for whatever starts there.
void Analyser::add_entered(const Directory& from, SimpleCommand* command) {
  if (map_->entered() == 0 || command->remote) return;
  for (const std::string& path : from.paths) {
    if (!spend(path.size())) return;
    Access access;
    access.kind = AccessKind::kEnter;
    access.path = normalize(path);
    access.written = access.path.substr(0, kMaxWritten);
    PathQuestion question;
    question.path = access.path;
    (void)map_->classify(question, &access.own);
    access.classes = access.own;
    if ((access.own & map_->entered()) != 0) command->accesses.push_back(std::move(access));
  }
  if (!from.unknown) return;
  Access anywhere;
  anywhere.kind = AccessKind::kEnter;
  anywhere.written = "the working directory, which is not known";
  anywhere.classes = anywhere.own = map_->entered();
  command->accesses.push_back(std::move(anywhere));
}

void Analyser::add_notes(SimpleCommand* command) {
  if (map_->entered() == 0) return;
  for (Access& access : command->accesses) {
    if ((access.classes & map_->entered()) != 0) access.note = map_->note_of(access.path);
  }
}

// Adds the paths that the words of a command name, the variables that it is given, and the text
// that a program reads of which nothing is known.
void Analyser::add_names(const Arguments& arguments, const Directory& from, const Feed& feed,
                         SimpleCommand* command) {
  if (map_->named() == 0) return;
  const bool unknown = arguments.program == nullptr && !command->remote;
  std::vector<Access> found;
  const std::size_t described = command->accesses.size();
  for (std::size_t at = 1; at < command->argv.size(); ++at) {
    const int argument = static_cast<int>(at);
    const Value& word = command->argv[at];
    if (!unknown && !map_->may_name(word.text, !word.holes.empty()) && !stands_in_named(from))
      continue;
    const bool covered =
        std::any_of(command->accesses.begin(),
                    command->accesses.begin() + static_cast<std::ptrdiff_t>(described),
                    [&](const Access& access) { return access.argument == argument; });
    if (covered && !spend(described)) return;
    const std::size_t before = found.size();
    add_named(word, argument, !covered, unknown, from, &found);
    if (found.size() > before && is_text(*command, arguments, argument)) found.resize(before);
  }
  const bool marks = command->program == "declare" || command->program == "typeset" ||
                     command->program == "readonly" || command->program == "local";
  for (const NamedValue& each : command->assignments) {
    if (!each.exported || (marks && !any_flag(command->argv, arguments, {"-x"}))) continue;
    add_named(each.value, -1, true, unknown, from, &found);
  }
  // What read takes ends up in variables, whose values are not known.
  const bool keeps = command->program == "read" || command->program == "mapfile" ||
                     command->program == "readarray";
  const ProgramSpec* spec = arguments.program;
  const bool takes = spec != nullptr && any_flag(command->argv, arguments, spec->takes_paths);
  if ((unknown || keeps || takes) && feed.piped) add_fed(feed, from, &found);
  for (Access& access : found) command->accesses.push_back(std::move(access));
}

// Adds what the words or the lines of a text name that a program reads.
void Analyser::add_fed(const Feed& feed, const Directory& from, std::vector<Access>* into) {
  if (!feed.text && feed.words) {
    for (const Value& word : *feed.words)
      if (spend(1)) add_named(word, -1, true, false, from, into);
    return;
  }
  if (!feed.text) return;
  const Value& text = *feed.text;
  if (!map_->may_name(text.text, !text.holes.empty()) || !spend(text.text.size())) return;
  std::size_t at = 0;
  for (std::size_t lines = 0; at < text.text.size() && lines < kMaxLines; ++lines) {
    const std::size_t end = std::min(text.text.find('\n', at), text.text.size());
    if (end > at) add_named(cut_out(text, at, end), -1, true, false, from, into);
    at = end + 1;
  }
}

}  // namespace gibbous::command
