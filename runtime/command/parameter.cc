// Known values of $name, ${...}, positional parameters and array elements.
#include "runtime/command/expander.h"

#include <algorithm>
#include <utility>

#include "runtime/command/braces.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxAlternatives = 16;

}  // namespace

void Expander::parameter(const Part& part) {
  // A command inside runs in any case, even in ${x:-$(cmd)}.
  const std::string shown = analyser_.slice(part.range);
  operand(part, shown);
  note_flow(part, shown);
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
    // The value comes from outside or is this one.
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

void Expander::operand(const Part& part, const std::string& shown) {
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
    if (!harmless) analyser_.doubt(Doubt::kUnparsed, part.range, shown);
  }
  if (part.operand.empty()) return;
  if (part.subscripted || part.op == ":") {
    analyser_.arithmetic(part.operand);
  } else {
    analyser_.visit(part.operand);
  }
}

// An unknown part stands in a word as it is written, perhaps cut.
void Expander::note_flow(const Part& part, const std::string& shown) {
  const std::vector<std::string> names = held_by(part);
  analyser_.flow_names(shown, names);
  const std::string cut = cut_hole(shown);
  if (cut != shown) analyser_.flow_names(cut, names);
  if (part.op != "=" && part.op != ":=") return;
  for (const Part& each : part.operand) analyser_.flow_names(part.text, held_by(each));
}

long Expander::positional_number(const std::string& name) {
  long number = -1;
  return number_of(name, &number) ? number : -1;
}

const Variable* Expander::known(const std::string& name) const {
  return analyser_.scope_.find(name);
}

void Expander::unknown(const std::string& shown, const Part& part) {
  hole(Value::Hole::Kind::kUnknown, shown, !part.quoted && split_);
}

void Expander::positional(const Part& part, const std::string& shown) {
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

void Expander::list(const std::vector<Value>& values, const Part& part) {
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

void Expander::element(const Part& part, const Variable* variable, const std::string& shown) {
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

void Expander::alternatives(const Variable& variable, const std::string& shown, bool quoted) {
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
      // an unquoted value that would be split is a hole that splits
      const bool splits = split_ && !quoted && !value.text.empty() &&
                          (value.text.find_first_of(kBlanks) != std::string::npos ||
                           value.has_unknown() || !usual_blanks());
      if (splits) {
        analyser_.flow(value.text, value);
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

}  // namespace gibbous::command
