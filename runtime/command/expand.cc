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
    doubt_subscript(arg.value);
    std::vector<Arg> all;
    all.push_back(std::move(arg));
    return all;
  }
  Expander expander(*this, word.range, /*split=*/true);
  expander.word(word.parts);
  std::vector<Arg> all = expander.take();
  for (const Arg& arg : all) doubt_subscript(arg.value);
  return all;
}

std::vector<Value> Analyser::values(const Word& word) {
  Expander expander(*this, word.range, /*split=*/false);
  expander.word(word.parts);
  std::vector<Value> all = expander.take_values();
  for (const Value& value : all) doubt_subscript(value);
  return all;
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

// Wherever a shell takes it for a number or a name, it runs what quotes protect: 'a[$(x)]'.
void Analyser::doubt_subscript(const Value& value) {
  const std::string& text = value.text;
  if (!value.quoted || !value.literal()) return;
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
    const std::size_t end = text.find_first_of("`$] \t\n", at);
    const bool runs =
        end != std::string::npos && (text[end] == '`' || text.compare(end, 2, "$(") == 0);
    if (at > 0 && is_name(text.substr(at - 1, 1)) && runs)
      return doubt(Doubt::kUnparsed, value.range, text);
  }
}

void Analyser::arithmetic(const std::vector<Part>& parts) {
  if (parts.empty()) return;
  visit(parts);
  bool assigns = false;
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::kText) continue;
    const std::string& text = part.text;
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
  facts_.assigns = true;  // a name may hold text that assigns
  if (!assigns) return;
  // Which of the names it assigns is not examined.
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
