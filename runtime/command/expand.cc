// Expands words as far as that is possible before anything runs: removes quotes, expands braces,
// and replaces variables and positional parameters with known values. Everything else is a hole.
// Commands in words ($( ), <( )) are walked. Expander makes the fields of one word.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"
#include "runtime/command/expander.h"

namespace gibbous::command {
std::vector<Arg> Analyser::fields(const Word& word) {
  // Most words are one piece of text.
  if (word.parts.size() == 1 && word.parts[0].kind == Part::Kind::kText) {
    Arg arg;
    arg.value = Value{word.parts[0].text};
    arg.value.quoted = word.parts[0].quoted;
    spend(arg.value.text.size() + 1);
    doubt_subscript(arg.value);
    std::vector<Arg> all;
    all.push_back(std::move(arg));
    return all;
  }
  Expander expander(*this, /*split=*/true);
  expander.word(word.parts);
  std::vector<Arg> all = expander.take();
  for (const Arg& arg : all) doubt_subscript(arg.value);
  return all;
}

Value Analyser::one(const Word& word) {
  Expander expander(*this, /*split=*/false);
  expander.word(word.parts);
  Value value = expander.take_one();
  doubt_subscript(value);
  return value;
}

// Wherever a shell takes it for a number or a name, it runs what quotes protect: 'a[$(x)]'.
void Analyser::doubt_subscript(const Value& value) {
  const std::string& text = value.text;
  if (!value.quoted || !value.literal()) return;
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
    const std::size_t end = text.find_first_of("`$] \t\n", at);
    const bool runs =
        end != std::string::npos && (text[end] == '`' || text.compare(end, 2, "$(") == 0);
    if (at > 0 && is_name(text.substr(at - 1, 1)) && runs) return doubt(Doubt::kUnparsed, text);
  }
}

void Analyser::arithmetic(const std::vector<Part>& parts) {
  if (parts.empty()) return;
  visit(parts);
  facts_.assigns = true;  // a name may hold text that assigns
  // Which of the names it assigns is not examined.
  for (const Part& part : parts) {
    const std::string& text = part.text;
    const bool assigns = text.find_first_of("=") != std::string::npos ||
                         text.find("++") != std::string::npos ||
                         text.find("--") != std::string::npos;
    if (part.kind != Part::Kind::kText || !assigns) continue;
    const auto in_name = [](char each) {
      return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_';
    };
    for (auto at = text.begin(); at != text.end();) {
      const auto end = std::find_if_not(at, text.end(), in_name);
      const std::string name(at, end);
      if (is_name(name)) scope_.forget(name);
      at = end == text.end() ? end : end + 1;
    }
  }
}

void Analyser::visit(const std::vector<Part>& parts) {
  Expander expander(*this, /*split=*/false);
  for (const Part& part : parts) expander.piece(part);
}

}  // namespace gibbous::command
