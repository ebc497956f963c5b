// Expands words as far as that is possible before anything runs: removes quotes, expands braces,
// and replaces variables and positional parameters with known values. Everything else is a hole.
// Commands in words ($( ), <( )) are walked. Expander makes the fields of one word.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"
#include "runtime/command/expander.h"

namespace gibbous::command {
namespace {

Value text_value(std::string text) {
  Value value;
  value.text = std::move(text);
  return value;
}

}  // namespace

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
  for (const Value& each : all) flow(unknown.text, each);
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
  // Which of the names it assigns is not examined.
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::kText) continue;
    const std::string& text = part.text;
    Value names;
    names.text = text;
    names.range = part.range;
    doubt_names_in(names);
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
