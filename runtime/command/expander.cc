// The fields that text, quotes, blanks, patterns and tildes produce.
#include "runtime/command/expander.h"

#include <algorithm>
#include <utility>

#include "runtime/command/braces.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxValueBytes = 65'536;
constexpr std::size_t kMaxHoleBytes = 80;

}  // namespace

void Expander::word(const std::vector<Part>& parts) {
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
  if (!braces.long_sequence().empty()) analyser_.doubt(Doubt::kOverLimit, braces.long_sequence());
  if (braces.too_many()) analyser_.spend(analyser_.limits_.code_bytes * 64);
}

void Expander::piece(const Part& part) {
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
      hole(Value::Hole::Kind::kUnknown, part.written, false);
      break;
  }
}

Value Expander::take_one() {
  return done_.empty() ? Value{} : std::move(done_.front().value);
}

void Expander::end_field() {
  if (has_ || !split_) {
    Arg arg;
    arg.value = std::move(current_);
    arg.process = process_;
    arg.producers_begin = producers_begin_;
    arg.producers_end = producers_end_;
    analyser_.spend(arg.value.text.size() + kValueCost);
    done_.push_back(std::move(arg));
  }
  current_ = {};
  has_ = false;
  process_ = false;
}

void Expander::append(std::string_view text, bool quoted) {
  has_ = has_ || quoted || !text.empty();
  current_.quoted = current_.quoted || quoted;
  current_.text.append(text);
}

std::string Expander::cut_hole(std::string text) {
  return text.size() > kMaxHoleBytes ? text.substr(0, kMaxHoleBytes - 3) + "..." : text;
}

void Expander::hole(Value::Hole::Kind kind, std::string text, bool splits) {
  has_ = true;
  const auto begin = static_cast<std::uint32_t>(current_.text.size());
  current_.text += cut_hole(std::move(text));
  const auto end = static_cast<std::uint32_t>(current_.text.size());
  current_.holes.push_back({kind, splits, begin, end});
}

void Expander::insert(const Value& value, bool quoted) {
  if (!analyser_.spend(value.text.size() + kValueCost)) return;
  if (quoted || !split_) {
    has_ = has_ || quoted || !value.text.empty();
    current_.quoted = current_.quoted || quoted;
    current_.bare = current_.bare || (value.bare && current_.text.empty());
    if (current_.text.size() + value.text.size() <= kMaxValueBytes) append_value(value, &current_);
    return;
  }
  if (!usual_blanks()) {  // the places where it is split are not examined
    analyser_.flow(cut_hole(value.text), value);
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

bool Expander::usual_blanks() const {
  const Value* blanks = known("IFS");
  return blanks != nullptr && blanks->text == kBlanks;
}

std::size_t Expander::next_blank(const Value& value, std::size_t at) {
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

void Expander::insert_unquoted(const Value& value, std::size_t begin, std::size_t end) {
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

void Expander::globs(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t glob = std::min(text.find_first_of("*?[", at), text.size());
    if (glob > at) append(text.substr(at, glob - at), false);
    if (glob == text.size()) break;
    hole(Value::Hole::Kind::kGlob, std::string(1, text[glob]), false);
    at = glob + 1;
  }
}

void Expander::end_if_any() {
  if (has_) end_field();
}

void Expander::tilde(const Part& part) {
  if (part.text.empty()) {
    if (const Value* home = known("HOME")) return insert(Value(*home), true);
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

}  // namespace gibbous::command
