// Words, as far as they can be expanded before anything runs: quotes are off, braces expanded,
// variables and positional parameters replaced where their value is known, the rest are holes. What
// runs in a word ($( ), <( )) is walked here.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"
#include "runtime/command/braces.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxAlternatives = 16;
constexpr std::size_t kMaxValueBytes = 65'536;
constexpr std::size_t kMaxHoleBytes = 80;
constexpr std::size_t kAlternativeCost = 96;  // in bytes of text
constexpr std::string_view kBlanks = " \t\n";

Value text_value(std::string text) {
  Value value;
  value.text = std::move(text);
  return value;
}

}  // namespace

// Builds the fields of one word.
class Expander {
 public:
  Expander(Analyser& analyser, Range range, bool split)
      : analyser_(analyser), range_(range), split_(split) {
    current_.emplace_back();
  }

  void word(const std::vector<Part>& parts) {
    if (!split_ || !Braces::stand_in(parts)) {
      for (const Part& part : parts) piece(part);
      end_field();
      return;
    }
    Braces braces(analyser_.limits_.braces,
                  [this](std::size_t bytes) { return analyser_.spend(bytes); });
    Braces::Parts all;
    for (const Part& part : parts) all.push_back(&part);
    for (const Braces::Parts& each : braces.words(all)) {
      for (const Part* part : each) piece(*part);
      end_field();
    }
    if (!braces.long_sequence().empty())
      analyser_.doubt(Doubt::kOverLimit, range_, braces.long_sequence());
    if (braces.too_many()) analyser_.spend(analyser_.limits_.code_bytes * 64);
  }

  void piece(const Part& part) {
    switch (part.kind) {
      case Part::Kind::kText:
        append(part.text, part.quoted);
        break;
      case Part::Kind::kBraceOpen:
        append("{", false);
        break;
      case Part::Kind::kBraceComma:
        append(",", false);
        break;
      case Part::Kind::kBraceClose:
        append("}", false);
        break;
      case Part::Kind::kGlob:
        if (!part.operand.empty()) analyser_.visit(part.operand);
        if (split_) {
          hole(Value::Hole::Kind::kGlob, part.text, false);
        } else {
          append(part.text, false);
        }
        break;
      case Part::Kind::kTilde:
        tilde(part);
        break;
      case Part::Kind::kParameter:
        parameter(part);
        break;
      case Part::Kind::kCommand:
        command(part);
        break;
      case Part::Kind::kProcess:
        process(part);
        break;
      case Part::Kind::kArithmetic:
        analyser_.arithmetic(part.operand);
        hole(Value::Hole::Kind::kUnknown, analyser_.slice(part.range), false);
        break;
    }
  }

  std::vector<Arg> take() { return std::move(done_); }
  // Without splitting: the alternatives.
  std::vector<Value> take_values() {
    std::vector<Value> all;
    for (Arg& arg : done_) all.push_back(std::move(arg.value));
    if (all.empty()) all.push_back(finished(Value{}));
    return all;
  }

  void end_field() {
    if (has_ || !split_) {
      bool alternative = false;
      for (Value& value : current_) {
        Arg arg;
        arg.value = finished(std::move(value));
        arg.process = process_;
        arg.producers_begin = producers_begin_;
        arg.producers_end = producers_end_;
        arg.alternative = std::exchange(alternative, true);
        analyser_.spend(arg.value.text.size() + kAlternativeCost);
        done_.push_back(std::move(arg));
      }
    }
    current_.clear();
    current_.emplace_back();
    has_ = false;
    process_ = false;
  }

 private:
  Value finished(Value value) const {
    value.source = analyser_.source_;
    value.range = range_;
    return value;
  }

  void append(std::string_view text, bool quoted) {
    has_ = has_ || quoted || !text.empty();
    for (Value& value : current_) {
      value.quoted = value.quoted || quoted;
      if (value.text.size() + text.size() > kMaxValueBytes && current_.size() > 1) continue;
      value.text.append(text);
    }
    if (current_.size() > 1) analyser_.spend(text.size() * current_.size());
  }

  void hole(Value::Hole::Kind kind, std::string text, bool splits) {
    has_ = true;
    if (text.size() > kMaxHoleBytes) text = text.substr(0, kMaxHoleBytes - 3) + "...";
    for (Value& value : current_) add_hole(kind, text, splits, &value);
  }

  static void add_hole(Value::Hole::Kind kind, const std::string& text, bool splits, Value* value) {
    const auto begin = static_cast<std::uint32_t>(value->text.size());
    value->text += text;
    value->holes.push_back({kind, splits, begin, static_cast<std::uint32_t>(value->text.size())});
  }

  static void append_value(const Value& from, Value* to) {
    const auto offset = static_cast<std::uint32_t>(to->text.size());
    to->text += from.text;
    for (Value::Hole each : from.holes) {
      each.begin += offset;
      each.end += offset;
      to->holes.push_back(each);
    }
  }

  // A value that a variable has: unquoted it is split, and its patterns count.
  void insert(const Value& value, bool quoted) {
    if (!analyser_.spend(value.text.size() + kAlternativeCost)) return;
    if (quoted || !split_) {
      has_ = has_ || quoted || !value.text.empty();
      for (Value& each : current_) {
        each.quoted = each.quoted || quoted;
        if (each.text.size() + value.text.size() <= kMaxValueBytes) append_value(value, &each);
      }
      return;
    }
    if (!usual_blanks()) {  // where it is split is not looked at
      if (!value.text.empty()) hole(Value::Hole::Kind::kUnknown, value.text, true);
      return;
    }
    std::size_t at = 0;
    while (at < value.text.size()) {
      if (analyser_.full()) return;
      const std::size_t blank = next_blank(value, at);
      if (blank > at) insert_unquoted(value, at, blank);
      if (blank == value.text.size()) break;
      end_if_any();
      at = std::min(value.text.find_first_not_of(kBlanks, blank), value.text.size());
    }
  }

  bool usual_blanks() const {
    const Variable* blanks = known("IFS");
    return blanks != nullptr && !blanks->unknown && blanks->values.size() == 1 &&
           blanks->values[0].text == kBlanks;
  }

  static std::size_t next_blank(const Value& value, std::size_t at) {
    while (true) {
      at = std::min(value.text.find_first_of(kBlanks, at), value.text.size());
      bool in_hole = false;
      for (const Value::Hole& hole : value.holes) {
        if (hole.begin <= at && at < hole.end) {
          at = hole.end;
          in_hole = true;
          break;
        }
      }
      if (!in_hole) return at;
    }
  }

  void insert_unquoted(const Value& value, std::size_t begin, std::size_t end) {
    std::size_t at = begin;
    for (const Value::Hole& each : value.holes) {
      if (each.end <= begin || each.begin >= end) continue;
      if (each.begin > at) globs(std::string_view(value.text).substr(at, each.begin - at));
      const bool splits = each.kind == Value::Hole::Kind::kUnknown;
      hole(each.kind, value.text.substr(each.begin, each.end - each.begin), splits);
      at = each.end;
    }
    if (end > at) globs(std::string_view(value.text).substr(at, end - at));
  }

  // The text of a variable: a pattern in it counts when it is not quoted.
  void globs(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t glob = std::min(text.find_first_of("*?[", at), text.size());
      if (glob > at) append(text.substr(at, glob - at), false);
      if (glob == text.size()) break;
      hole(Value::Hole::Kind::kGlob, std::string(1, text[glob]), false);
      at = glob + 1;
    }
  }

  void end_if_any() {
    if (has_) end_field();
  }

  void tilde(const Part& part) {
    if (part.text.empty()) {
      const Variable* home = analyser_.scope_.find("HOME");
      if (home != nullptr && !home->unknown && home->values.size() == 1) {
        insert(home->values[0], true);
        return;
      }
      hole(Value::Hole::Kind::kUnknown, "~", false);
    } else if (part.text == "root") {
      append("/root", true);
    } else if (part.text == "+" && analyser_.scope_.cwd().paths.size() == 1 &&
               !analyser_.scope_.cwd().unknown) {
      append(analyser_.scope_.cwd().paths[0], true);
    } else if (is_name(part.text)) {
      append("/home/" + part.text, true);
    } else {
      hole(Value::Hole::Kind::kUnknown, "~" + part.text, false);
    }
  }

  // --- Parameters -------------------------------------------------------------------------------

  void parameter(const Part& part) {
    // What runs inside runs in any case; ${x:-$(cmd)} too.
    const std::string shown = analyser_.slice(part.range);
    operand(part, shown);
    const bool all = part.text == "@" || part.text == "*";
    if (part.op.empty() && (all || positional_number(part.text) > 0)) {
      positional(part, shown);
      return;
    }
    const Variable* variable = known(part.text);
    if (part.subscripted) {
      element(part, variable, shown);
      return;
    }
    const bool defaults = part.op == "-" || part.op == ":-" || part.op == "=" || part.op == ":=";
    const auto is_text = [](const Part& piece) { return piece.kind == Part::Kind::kText; };
    if (variable == nullptr && defaults && !part.operand.empty() &&
        std::all_of(part.operand.begin(), part.operand.end(), is_text)) {
      // It has a value from outside, or this one.
      Variable either;
      either.unknown = true;
      Value value;
      for (const Part& piece : part.operand) value.text += piece.text;
      either.values.push_back(std::move(value));
      if (part.op == "=" || part.op == ":=") analyser_.scope_.forget(part.text);
      alternatives(either, shown, part.quoted);
      return;
    }
    if (part.op == "#" || variable == nullptr) {
      if (part.op == "=" || part.op == ":=") analyser_.scope_.forget(part.text);
      unknown(shown, part);
      return;
    }
    const bool assigns = part.op == "=" || part.op == ":=";
    const bool plain = part.op.empty() || part.op == "-" || part.op == ":-" || assigns ||
                       part.op == "?" || part.op == ":?";
    if (!plain) {
      unknown(shown, part);
      return;
    }
    if (!analyser_.spend(variable->values.size() * kAlternativeCost)) return;
    Variable copy = *variable;
    if (copy.array && copy.values.size() != 1) {
      copy.unknown = copy.unknown || copy.values.empty();
      if (copy.values.size() > 1) copy.values.resize(1);
    }
    const auto nothing = [](const Value& value) { return value.text.empty() || !value.literal(); };
    const bool empty = std::any_of(copy.values.begin(), copy.values.end(), nothing);
    if (!part.op.empty() && (empty || copy.unknown)) {  // ${x:-other}: the other may come
      if (assigns) analyser_.scope_.forget(part.text);
      unknown(shown, part);
      return;
    }
    alternatives(copy, shown, part.quoted);
  }

  // Subscripts and numbers are evaluated, prompts run what is in them.
  void operand(const Part& part, const std::string& shown) {
    const auto prompt = [](const Part& piece) {
      return piece.kind != Part::Kind::kText || piece.text.find('P') != std::string::npos;
    };
    const bool transforms =
        part.op == "@" || (part.op == "!" && !part.operand.empty() &&
                           std::any_of(part.operand.begin(), part.operand.end(),
                                       [](const Part& piece) { return piece.text == "@"; }));
    if (transforms && std::any_of(part.operand.begin(), part.operand.end(), prompt)) {
      const Variable* variable = known(part.text);
      const bool harmless =
          part.op == "@" && variable != nullptr && !variable->unknown &&
          std::all_of(variable->values.begin(), variable->values.end(), [](const Value& value) {
            return value.literal() && value.text.find_first_of("$`") == std::string::npos;
          });
      if (!harmless) analyser_.doubt(Doubt::kEvaluatedText, part.range, shown);
    }
    if (part.operand.empty()) return;
    if (part.subscripted || part.op == ":") {
      analyser_.arithmetic(part.operand);
    } else {
      analyser_.visit(part.operand);
    }
  }

  static long positional_number(const std::string& name) {
    long number = -1;
    return number_of(name, &number) ? number : -1;
  }

  const Variable* known(const std::string& name) const { return analyser_.scope_.find(name); }

  void unknown(const std::string& shown, const Part& part) {
    hole(Value::Hole::Kind::kUnknown, shown, !part.quoted && split_);
  }

  void positional(const Part& part, const std::string& shown) {
    const auto& values = analyser_.scope_.positional();
    if (!values) {
      unknown(shown, part);
      return;
    }
    const long number = positional_number(part.text);
    if (number > 0) {
      if (static_cast<std::size_t>(number) <= values->size()) {
        const Value copy = (*values)[static_cast<std::size_t>(number) - 1];
        insert(copy, part.quoted);
      }
      return;
    }
    if (!analyser_.spend(values->size() * kAlternativeCost)) return;
    const std::vector<Value> copies = *values;
    list(copies, part);
  }

  void list(const std::vector<Value>& values, const Part& part) {
    bool first = true;
    const bool joined = !split_ || (part.quoted && part.text == "*");
    for (const Value& value : values) {
      if (!first) {
        if (joined && !usual_blanks()) {
          hole(Value::Hole::Kind::kUnknown, " ", false);
        } else if (joined) {
          append(" ", true);
        } else {
          end_field();
        }
      }
      first = false;
      insert(value, part.quoted);
      if (analyser_.full()) return;
    }
  }

  // ${a[@]}, ${a[0]}
  void element(const Part& part, const Variable* variable, const std::string& shown) {
    const std::string written = shown;
    const std::size_t open = written.find('[');
    const std::size_t close = open == std::string::npos ? open : written.find(']', open);
    if (variable == nullptr || !part.op.empty() || close == std::string::npos) {
      unknown(shown, part);
      return;
    }
    const std::string index = written.substr(open + 1, close - open - 1);
    if (!analyser_.spend(variable->values.size() * kAlternativeCost)) return;
    const Variable copy = *variable;
    if (index == "@" || index == "*") {
      if (copy.unknown) unknown(shown, part);
      list(copy.values, part);
      return;
    }
    long number = 0;
    if (number_of(index, &number) && number >= 0 && !copy.unknown &&
        (copy.array || copy.values.size() == 1) &&
        static_cast<std::size_t>(number) < copy.values.size()) {
      insert(copy.values[static_cast<std::size_t>(number)], part.quoted);
      return;
    }
    unknown(shown, part);
  }

  // One of several values, each a word of its own from here on.
  void alternatives(const Variable& variable, const std::string& shown, bool quoted) {
    const std::size_t count = variable.values.size() + (variable.unknown ? 1 : 0);
    if (count == 1 && !variable.unknown) {
      insert(variable.values[0], quoted);
      return;
    }
    if (count == 0 || count * current_.size() > kMaxAlternatives) {
      hole(Value::Hole::Kind::kUnknown, shown, !quoted && split_);
      return;
    }
    std::vector<Value> all;
    for (const Value& before : current_) {
      for (const Value& value : variable.values) {
        Value each = before;
        each.quoted = each.quoted || quoted;
        // An unquoted one that would be split stands as a hole that splits.
        const bool splits = split_ && !quoted && !value.text.empty() &&
                            (value.text.find_first_of(kBlanks) != std::string::npos ||
                             value.has_unknown() || !usual_blanks());
        if (splits) {
          add_hole(Value::Hole::Kind::kUnknown, value.text, true, &each);
        } else {
          append_value(value, &each);
        }
        analyser_.spend(each.text.size() + kAlternativeCost);
        all.push_back(std::move(each));
      }
      if (variable.unknown) {
        Value each = before;
        add_hole(Value::Hole::Kind::kUnknown, shown, !quoted && split_, &each);
        all.push_back(std::move(each));
      }
    }
    has_ = true;
    current_ = std::move(all);
  }

  // --- Substitutions ----------------------------------------------------------------------------

  void command(const Part& part) {
    const std::size_t first = analyser_.facts_.commands.size();
    const Scope::Mark mark = analyser_.scope_.mark();
    const std::string shown = analyser_.slice(part.range);
    {
      const Analyser::Nest nest(analyser_, Nesting::Kind::kSubstitution);
      analyser_.printed_ = {};
      analyser_.walk(*part.script, {});
    }
    analyser_.scope_.restore(mark);
    const Feed printed = std::exchange(analyser_.printed_, {});
    bool single = false;
    {
      const Analyser::Nest nest(analyser_, Nesting::Kind::kSubstitution);
      single = analyser_.is_plain(*part.script, first);
    }
    if (single) {
      if (printed.text && printed.text->literal()) {
        Value text = *printed.text;
        while (!text.text.empty() && text.text.back() == '\n') text.text.pop_back();
        insert(text, part.quoted);
        return;
      }
      if (output_of(analyser_.facts_.commands[first], part.quoted)) return;
      if (printed.words && !part.quoted && split_) {  // find: something below each of its places
        bool next = false;
        for (const Value& word : *printed.words) {
          if (std::exchange(next, true)) end_if_any();
          insert(word, true);
        }
        return;
      }
    }
    hole(Value::Hole::Kind::kUnknown, shown, !part.quoted && split_);
    if (printed.decodes) {
      for (Value& value : current_) value.holes.back().decoded = true;
    }
  }

  // "pwd" -> "$PWD", "mktemp" -> "/tmp/*", "which *" -> "$1": from the table of outputs.
  bool output_of(const SimpleCommand& command, bool quoted) {
    if (command.program.empty() || command.fed_by.size() > 0) return false;
    std::string words = command.program;
    for (std::size_t at = 1; at < command.argv.size() && at < 6; ++at) {
      if (!command.argv[at].literal()) return false;
      words += " " + command.argv[at].text;
    }
    if (command.argv.size() >= 6) return false;
    const auto& outputs = analyser_.knowledge_.outputs;
    auto found = outputs.find(words);
    std::string argument;
    if (found == outputs.end() && command.argv.size() > 1) {
      const std::size_t space = words.rfind(' ');
      argument = words.substr(space + 1);
      found = outputs.find(words.substr(0, space) + " *");
    }
    if (found == outputs.end()) found = outputs.find(command.program + " **");
    if (found == outputs.end()) return false;
    fill(found->second, argument, quoted);
    return true;
  }

  // $NAME and $1 are replaced, * is what nobody knows.
  void fill(const std::string& text, const std::string& argument, bool quoted) {
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t mark = std::min(text.find_first_of("$*", at), text.size());
      append(std::string_view(text).substr(at, mark - at), quoted);
      if (mark == text.size()) break;
      at = mark + 1;
      if (text[mark] == '*') {
        hole(Value::Hole::Kind::kUnknown, "*", false);
        continue;
      }
      std::size_t end = at;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
      const std::string name = text.substr(at, end - at);
      at = end;
      const Variable* variable = known(name);
      if (name == "1") {
        append(argument, quoted);
      } else if (variable != nullptr && !variable->unknown && variable->values.size() == 1) {
        const Value copy = variable->values[0];
        insert(copy, true);
      } else {
        hole(Value::Hole::Kind::kUnknown, "$" + name, false);
      }
    }
  }

  void process(const Part& part) {
    producers_begin_ = static_cast<int>(analyser_.facts_.commands.size());
    const Scope::Mark mark = analyser_.scope_.mark();
    {
      const Analyser::Nest nest(analyser_, Nesting::Kind::kProcess);
      Feed feed;
      feed.piped = part.text == ">";  // what is written into it
      analyser_.walk(*part.script, feed);
    }
    analyser_.scope_.restore(mark);
    producers_end_ = static_cast<int>(analyser_.facts_.commands.size());
    process_ = part.text == "<";
    hole(Value::Hole::Kind::kUnknown, analyser_.slice(part.range), false);
  }

  Analyser& analyser_;
  Range range_;
  bool split_;
  std::vector<Value> current_;  // the field that is being made; several: alternatives
  bool has_ = false;
  bool process_ = false;
  int producers_begin_ = 0;
  int producers_end_ = 0;
  std::vector<Arg> done_;
};

std::vector<Arg> Analyser::fields(const Word& word) {
  // Most words are one piece of text.
  if (word.parts.size() == 1 && word.parts[0].kind == Part::Kind::kText) {
    Arg arg;
    arg.value = text_value(word.parts[0].text);
    arg.value.quoted = word.parts[0].quoted;
    arg.value.source = source_;
    arg.value.range = word.range;
    spend(arg.value.text.size() + 1);
    std::vector<Arg> all;
    all.push_back(std::move(arg));
    return all;
  }
  Expander expander(*this, word.range, /*split=*/true);
  expander.word(word.parts);
  return expander.take();
}

std::vector<Value> Analyser::values(const Word& word) {
  Expander expander(*this, word.range, /*split=*/false);
  expander.word(word.parts);
  return expander.take_values();
}

Value Analyser::one(const Word& word) {
  std::vector<Value> all = values(word);
  if (all.size() == 1) return std::move(all[0]);
  Value unknown;  // one of several: as written
  unknown.text = slice(word.range);
  unknown.holes.push_back(
      {Value::Hole::Kind::kUnknown, false, 0, static_cast<std::uint32_t>(unknown.text.size())});
  unknown.source = source_;
  unknown.range = word.range;
  return unknown;
}

void Analyser::check_evaluated(const Value& value) {
  const std::size_t bracket = value.text.find('[');
  if (bracket == std::string::npos || !value.literal() || !value.quoted) return;
  const bool runs = value.text.find("$(", bracket) != std::string::npos ||
                    value.text.find('`', bracket) != std::string::npos;
  if (runs) doubt(Doubt::kEvaluatedText, value.range, value.text);
}

void Analyser::arithmetic(const std::vector<Part>& parts) {
  if (parts.empty()) return;
  visit(parts);
  bool assigns = false;
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::kText) continue;
    const std::string& text = part.text;
    if (text.find_first_of("`$") != std::string::npos)
      doubt(Doubt::kEvaluatedText, part.range, text);
    for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
      if (at + 1 < text.size() && text[at + 1] == '=') {
        ++at;
        continue;
      }
      const bool compares =
          at > 0 && (text[at - 1] == '!' || ((text[at - 1] == '<' || text[at - 1] == '>') &&
                                             (at < 2 || text[at - 2] != text[at - 1])));
      assigns = assigns || !compares;
    }
    assigns =
        assigns || text.find("++") != std::string::npos || text.find("--") != std::string::npos;
  }
  if (!assigns) return;
  // Which of the names it assigns is not looked at.
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::kText) continue;
    const std::string& text = part.text;
    std::size_t at = 0;
    while (at < text.size()) {
      std::size_t end = at;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
      const std::string name = text.substr(at, end - at);
      if (is_name(name)) scope_.forget(name);
      at = end + 1;
    }
  }
}

void Analyser::visit(const std::vector<Part>& parts) {
  Expander expander(*this, {}, /*split=*/false);
  for (const Part& part : parts) expander.piece(part);
}

}  // namespace gibbous::command
