// Code in other languages: finds the calls that touch paths, and the strings that are shell
// commands. Also holds the other helpers that need regular expressions.
#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxStrings = 256;
constexpr std::size_t kMaxCalls = 64;

// String literals of nearly every language: '..', "..", `..`, with backslashes.
std::vector<std::string> strings_of(std::string_view code) {
  std::vector<std::string> all;
  std::size_t at = 0;
  while (at < code.size() && all.size() < kMaxStrings) {
    const std::size_t open = code.find_first_of("'\"`", at);
    if (open == std::string_view::npos) break;
    std::string text;
    std::size_t end = open + 1;
    while (end < code.size() && code[end] != code[open]) {
      if (code[end] == '\\' && end + 1 < code.size()) {
        ++end;
        text += code[end] == 'n' ? '\n' : code[end] == 't' ? '\t' : code[end];
      } else {
        text += code[end];
      }
      ++end;
    }
    if (end >= code.size()) {  // not a literal after all; one may follow
      at = open + 1;
      if (all.size() > kMaxStrings / 2) break;
      continue;
    }
    all.push_back(std::move(text));
    at = end + 1;
  }
  return all;
}

Value text_at(std::string text, const Value& from) {
  Value value;
  value.text = std::move(text);
  value.range = from.range;
  value.source = from.source;
  return value;
}

Value unknown_text(const std::string& text) {
  Value value;
  value.text = text;
  value.holes.push_back(
      {Value::Hole::Kind::kUnknown, false, 0, static_cast<std::uint32_t>(text.size())});
  return value;
}

}  // namespace

bool is_safe(const VariableSpec& spec, const std::string& value) {
  const re2::RE2* safe = spec.safe->get();
  return safe != nullptr && re2::RE2::FullMatch(value, *safe);
}

// Whether code may do more than read and write files of the workspace.
bool Analyser::may_reach(const Value& code) const {
  const re2::RE2* pattern = knowledge_.reaching ? knowledge_.reaching->get() : nullptr;
  return pattern == nullptr || code.has_unknown() || speaks_of_harm(code.text) ||
         re2::RE2::PartialMatch(code.text, *pattern);
}

void Analyser::other_code(const Value& text, const std::string& language, SimpleCommand* command) {
  if (text.text.empty()) return;
  const auto found = knowledge_.languages.find(language);
  const LanguageSpec* spec = found == knowledge_.languages.end() ? nullptr : &found->second;
  if (!spend(text.text.size() * 2)) return;
  if (may_reach(text)) {
    doubt(Doubt::kInlineCode, text.range, language + ": " + text.text,
          static_cast<int>(facts_.commands.size()));
  }
  if (spec != nullptr) {
    for (const LanguageSpec::Call& call : spec->calls) {
      const re2::RE2* pattern = call.pattern->get();
      if (pattern == nullptr) {
        doubt(Doubt::kUnjudged, text.range, language, -1);
        continue;
      }
      re2::StringPiece rest(text.text);
      re2::StringPiece path;
      for (std::size_t count = 0; count < kMaxCalls; ++count) {
        if (!re2::RE2::FindAndConsume(&rest, *pattern, &path)) break;
        const Value value = text_at(std::string(path), text);
        add_access(call.kind, call.recursive, value, -1, false, scope_.cwd(), &command->accesses);
      }
    }
  }
  if (depth_ >= limits_.depth) return;
  // Each string may be a shell command, and all strings together may be an argv.
  const std::vector<std::string> strings = strings_of(text.text);
  const Nest nest(*this, Nesting::Kind::kLiteral, command->program);
  const std::size_t doubts = facts_.doubts.size();
  const std::size_t first = facts_.commands.size();
  ++depth_;
  for (std::size_t at = 0; at < strings.size() && !full(); ++at) {
    const Value value = text_at(strings[at], text);
    const std::size_t name_end =
        std::min(strings[at].find_first_of(" \t\n;|&"), strings[at].size());
    if (name_end == 0) continue;
    if (name_end < strings[at].size()) {
      code(value, Nesting::Kind::kCode, command->program, {}, sh_dialects());
      continue;
    }
    // ["rm", "-rf", "/"]: a known program followed by strings.
    if (knowledge_.find(strings[at]) == nullptr) continue;
    std::vector<Arg> args;
    for (std::size_t each = at; each < strings.size(); ++each) {
      Arg arg;
      arg.value = text_at(strings[each], text);
      args.push_back(std::move(arg));
    }
    if (!spend(strings.size() * 8)) break;
    SimpleCommand base;
    base.range = text.range;
    base.source = source_;
    run(std::move(args), std::move(base), {});
  }
  --depth_;
  // The code already has a doubt of its own, so only plainly harmful commands count.
  const auto moved = [&](const DoubtFact& fact) {
    return fact.doubt != Doubt::kForkBomb && fact.doubt != Doubt::kDecodedCode;
  };
  facts_.doubts.erase(std::remove_if(facts_.doubts.begin() + static_cast<std::ptrdiff_t>(doubts),
                                     facts_.doubts.end(), moved),
                      facts_.doubts.end());
  // The doubt about the code itself belongs to the command that follows these.
  const int shift = static_cast<int>(facts_.commands.size() - first);
  for (DoubtFact& fact : facts_.doubts) {
    if (fact.doubt == Doubt::kInlineCode && fact.command == static_cast<int>(first))
      fact.command += shift;
  }
}

// Formats the output of printf 'format' words, where the format is plain.
Value formatted(const std::vector<Value>& words, bool bash) {
  Value made;
  made.range = words[0].range;
  made.source = words[0].source;
  const std::string& format = words[0].text;
  if (!words[0].literal()) {
    made.text = format;
    made.holes.push_back(
        {Value::Hole::Kind::kUnknown, false, 0, static_cast<std::uint32_t>(format.size())});
    return made;
  }
  std::size_t next = 1;
  const auto put = [&](const Value& value) {
    const auto offset = static_cast<std::uint32_t>(made.text.size());
    made.text += value.text;
    for (Value::Hole hole : value.holes) {
      hole.begin += offset;
      hole.end += offset;
      made.holes.push_back(hole);
    }
  };
  do {
    for (std::size_t at = 0; at < format.size(); ++at) {
      if (format[at] == '\\' && at + 1 < format.size()) {
        const char kind = format[++at];
        const auto digit = [&](int base) {
          const char each = at + 1 < format.size() ? format[at + 1] : 'z';
          const int value = each >= '0' && each <= '9'   ? each - '0'
                            : each >= 'a' && each <= 'f' ? each - 'a' + 10
                            : each >= 'A' && each <= 'F' ? each - 'A' + 10
                                                         : 99;
          return value < base ? value : -1;
        };
        if (kind == 'n') {
          made.text += '\n';
        } else if (kind == 't') {
          made.text += '\t';
        } else if (kind == 'x' && bash) {
          int value = 0;
          for (int count = 0; count < 2 && digit(16) >= 0; ++count, ++at)
            value = value * 16 + digit(16);
          made.text += static_cast<char>(value);
        } else if (kind >= '0' && kind <= '7') {
          int value = kind - '0';
          for (int count = 0; count < 2 && digit(8) >= 0; ++count, ++at)
            value = value * 8 + digit(8);
          made.text += static_cast<char>(value);
        } else if (kind == '\\' || kind == '"' || kind == '\'') {
          made.text += kind;
        } else {
          put(unknown_text(std::string("\\") + kind));
        }
      } else if (format[at] == '%' && at + 1 < format.size()) {
        if (format[at + 1] == '%') {
          made.text += '%';
          ++at;
          continue;
        }
        const std::size_t from = at;
        at = std::min(format.find_first_of("sdbqcxXiuofFgGeEaAT", at), format.size());
        const bool plain = at == from + 1 && at < format.size() && format[at] == 's';
        if (plain && next < words.size()) {
          put(words[next++]);
        } else if (!plain) {  // widths and precisions are not interpreted
          put(unknown_text(next < words.size() ? words[next].text : format.substr(from, 2)));
          if (next < words.size()) ++next;
          if (at == format.size()) break;
        }
      } else {
        made.text += format[at];
      }
    }
    if (made.text.size() > kMaxStrings * kMaxStrings) break;
  } while (next < words.size() && format.find('%') != std::string::npos);
  return made;
}

}  // namespace gibbous::command
