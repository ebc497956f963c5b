// Known values of $name, ${...}, positional parameters and array elements.
#include "runtime/command/expander.h"

#include <algorithm>
#include <utility>

#include "runtime/command/braces.h"

namespace gibbous::command {
void Expander::parameter(const Part& part) {
  // A command inside runs in any case, even in ${x:-$(cmd)}.
  const std::string shown = part.written;
  operand(part, shown);
  note_flow(part, shown);
  const bool all = part.text == "@" || part.text == "*";
  if (part.op.empty() && (all || positional_number(part.text) > 0)) return positional(part, shown);
  if (part.subscripted) return elements(part, shown);
  const bool assigns = part.op == "=" || part.op == ":=";
  const bool plain = part.op.empty() || part.op == "-" || part.op == ":-" || assigns ||
                     part.op == "?" || part.op == ":?";
  const Value* value = plain ? known(part.text) : nullptr;
  // ${x:-other}: the other may come
  const bool may_be_other =
      value != nullptr && !part.op.empty() && (value->text.empty() || !value->literal());
  if (value != nullptr && !may_be_other) return insert(Value(*value), part.quoted);
  if (assigns) analyser_.scope_.forget(part.text);
  unknown(shown, part);
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
    const Value* value = known(part.text);
    const bool harmless = part.op == "@" && value != nullptr && value->literal() &&
                          value->text.find_first_of("$`") == std::string::npos;
    if (!harmless) analyser_.doubt(Doubt::kUnparsed, shown);
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

const Value* Expander::known(const std::string& name) const {
  const Variable* variable = analyser_.scope_.find(name);
  return variable != nullptr && variable->is_one() ? &variable->values.front() : nullptr;
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
  if (!analyser_.spend(values->size() * kValueCost)) return;
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

void Expander::elements(const Part& part, const std::string& shown) {
  const Variable* variable = analyser_.scope_.find(part.text);
  const bool whole = shown.ends_with("[@]}") || shown.ends_with("[*]}");
  if (variable == nullptr || !part.op.empty() || !whole) return unknown(shown, part);
  if (!analyser_.spend(variable->values.size() * kValueCost)) return;
  const Variable copy = *variable;
  if (copy.unknown) unknown(shown, part);
  list(copy.values, part);
}

}  // namespace gibbous::command
