#include "runtime/command/braces.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "runtime/command/expander.h"

namespace gibbous::command {
namespace {

constexpr int kMaxSequence = 256;
constexpr std::size_t kPieceCost = 4;
using Parts = Braces::Parts;

}  // namespace

bool number_of(std::string_view text, long* number) {
  if (text.empty() || text.size() > 9) return false;
  const bool negative = text[0] == '-';
  long made = 0;
  for (const char digit : text.substr(negative ? 1 : 0)) {
    if (digit < '0' || digit > '9') return false;
    made = made * 10 + (digit - '0');
  }
  *number = negative ? -made : made;
  return text.size() > (negative ? 1U : 0U);
}

bool Braces::stand_in(const std::vector<Part>& parts) {
  const auto opens = [](const Part& part) { return part.kind == Part::Kind::kBraceOpen; };
  return std::any_of(parts.begin(), parts.end(), opens);
}

// Returns every word that the braces produce.
std::vector<Parts> Braces::words(const Parts& parts) {
  std::vector<Parts> all(1);
  for (std::size_t at = 0; at < parts.size(); ++at) {
    std::vector<Parts> choices;
    if (parts[at]->kind == Part::Kind::kBraceOpen) {
      const std::size_t close = close_of(parts, at);
      if (close != parts.size()) {
        choices = choices_of(parts, at, close);
        if (!choices.empty()) at = close;
      }
    }
    if (choices.empty()) {
      for (Parts& word : all) word.push_back(parts[at]);
      continue;
    }
    count_ += all.size() * choices.size();
    if (count_ > most_) return all;
    if (!spend_(all.size() * choices.size() * kValueCost)) return all;
    std::vector<Parts> next;
    for (const Parts& word : all) {
      for (const Parts& choice : choices) {
        next.push_back(word);
        next.back().insert(next.back().end(), choice.begin(), choice.end());
      }
    }
    all = std::move(next);
  }
  return all;
}

std::size_t Braces::close_of(const Parts& parts, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < parts.size(); ++at) {
    if (!spend_(kPieceCost)) return parts.size();
    if (parts[at]->kind == Part::Kind::kBraceOpen) ++depth;
    if (parts[at]->kind == Part::Kind::kBraceClose && --depth == 0) return at;
  }
  return parts.size();
}

std::vector<Parts> Braces::choices_of(const Parts& parts, std::size_t open, std::size_t close) {
  std::vector<Parts> pieces(1);
  int depth = 0;
  for (std::size_t at = open + 1; at < close; ++at) {
    if (parts[at]->kind == Part::Kind::kBraceOpen) ++depth;
    if (parts[at]->kind == Part::Kind::kBraceClose) --depth;
    if (parts[at]->kind == Part::Kind::kBraceComma && depth == 0) {
      pieces.emplace_back();
      if (pieces.size() > most_) {
        count_ = pieces.size();
        return {};
      }
    } else {
      pieces.back().push_back(parts[at]);
    }
  }
  if (pieces.size() == 1) return sequence(pieces[0]);
  std::vector<Parts> all;
  for (const Parts& piece : pieces) {
    std::vector<Parts> inner = words(piece);
    if (count_ > most_) return all;
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

// Parses {1..5}, {a..e} and {1..9..2}; returns nothing for anything else.
std::vector<Parts> Braces::sequence(const Parts& parts) {
  std::string text;
  for (const Part* part : parts) {
    if (part->kind != Part::Kind::kText || part->quoted) return {};
    text += part->text;
  }
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {};
  const std::string from = text.substr(0, dots);
  const std::string to = text.substr(dots + 2, text.find("..", dots + 2) - dots - 2);
  long first = 0;
  long last = 0;
  const bool letters = from.size() == 1 && to.size() == 1 &&
                       std::isalpha(static_cast<unsigned char>(from[0])) != 0 &&
                       std::isalpha(static_cast<unsigned char>(to[0])) != 0;
  if (letters) {
    first = static_cast<unsigned char>(from[0]);
    last = static_cast<unsigned char>(to[0]);
  } else if (!number_of(from, &first) || !number_of(to, &last)) {
    return {};
  }
  const long count = std::abs(last - first) + 1;
  if (count > kMaxSequence) long_sequence_ = "{" + text + "}";
  std::vector<Parts> all;
  for (long at = 0; at < std::min<long>(count, kMaxSequence); ++at) {
    const long value = first < last ? first + at : first - at;
    Part part;
    part.kind = Part::Kind::kText;
    part.text = letters ? std::string(1, static_cast<char>(value)) : std::to_string(value);
    made_.push_back(std::move(part));
    all.push_back({&made_.back()});
  }
  return all;
}

}  // namespace gibbous::command
