// See question_text.h.
#include "bindings/stdio/question_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "bindings/json/text.h"

namespace gibbous::stdio {
namespace {

constexpr std::size_t kMaxReasonBytes = 2'000;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxSubjectBytes = 2'000;
// Three rows of a terminal. Dialogs show few lines, and this is the first one.
constexpr std::size_t kMaxFirstLineBytes = 240;
constexpr std::size_t kTailPart = 3;  // one in so many bytes is of the end

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

CodePoint decode(std::string_view text) {
  const auto byte = [text](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]));
  };
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || lead > 0xF4 || text.size() < size) return {};
  std::uint32_t value = lead & (0x7FU >> size);
  for (std::size_t at = 1; at < size; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return {};
    value = value << 6U | (byte(at) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[size] || value > 0x10FFFF || surrogate) return {};
  return {value, size};
}

// Controls, characters without width, and those that change the direction of text.
bool hides(std::uint32_t value) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  static constexpr std::array<Range, 15> kHidden = {{{0x00, 0x1F},
                                                     {0x7F, 0x9F},
                                                     {0xAD, 0xAD},
                                                     {0x034F, 0x034F},
                                                     {0x061C, 0x061C},
                                                     {0x115F, 0x1160},
                                                     {0x17B4, 0x17B5},
                                                     {0x180B, 0x180F},
                                                     {0x200B, 0x200F},
                                                     {0x2028, 0x202E},
                                                     {0x2060, 0x206F},
                                                     {0x3164, 0x3164},
                                                     {0xFE00, 0xFE0F},
                                                     {0xFEFF, 0xFEFF},
                                                     {0xE0000, 0xE0FFF}}};
  return std::any_of(kHidden.begin(), kHidden.end(), [value](const Range& range) {
    return range.first <= value && value <= range.last;
  });
}

std::string escape(const char* format, std::uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(value));
  return text.data();
}

std::string shown(std::uint32_t value) {
  if (value == '\n') return "\\n";
  if (value == '\r') return "\\r";
  if (value == '\t') return "\\t";
  constexpr std::uint32_t kLatin = 0x100;
  return value < kLatin ? escape("\\x%02x", value) : escape("\\u%04x", value);
}

void add(std::string& text, const char* name, const std::string& value) {
  text += std::string("\n") + name + ": " + value;
}

// The command, which is printable and bounded already, or the call where there is none.
std::string what_is_asked(const AskRequest& request) {
  if (!request.command.empty()) return request.command;
  // The subject of a call is its arguments as JSON, and that of typed text no more than a number.
  const bool said = !request.typed && !request.subject.empty() && request.subject.front() != '{' &&
                    !request.subject.starts_with("call ");
  if (said) return printable(request.subject, kMaxSubjectBytes);
  const std::string words = in_words(parse_object(request.arguments, request.arguments.size()));
  return printable(request.tool + (words.empty() ? "" : ": " + words), kMaxSubjectBytes);
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    if (made.size() >= most) {
      return made + "... (" + std::to_string(text.size() - at) + " bytes more)";
    }
    const CodePoint point = decode(text.substr(at));
    if (point.bytes == 0) {
      made += escape("\\x%02x", static_cast<unsigned char>(text[at]));
      ++at;
    } else {
      made += hides(point.value) ? shown(point.value) : std::string(text.substr(at, point.bytes));
      at += point.bytes;
    }
  }
  return made;
}

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto inside = [&text](std::size_t at) {  // of a character
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t head = most - most / kTailPart;
  while (head > 0 && inside(head)) --head;
  std::size_t tail = text.size() - most / kTailPart;
  while (inside(tail)) ++tail;
  return text.substr(0, head) + " ... [" + std::to_string(text.size()) + " bytes in all] ... " +
         text.substr(tail);
}

std::string question_head(const AskRequest& request) {
  std::string text = shortened(what_is_asked(request), kMaxFirstLineBytes);
  if (!request.reason.empty()) add(text, "Why", printable(request.reason, kMaxReasonBytes));
  return text;
}

std::string question_details(const AskRequest& request) {
  std::string text = "Tool: " + printable(request.tool, kMaxNameBytes);
  if (request.effect != "call") add(text, "Effect", printable(request.effect, kMaxNameBytes));
  const bool plain = request.commands.size() == 1 && request.commands.front() == request.command;
  if (!plain && !request.commands.empty()) {
    text += "\nIt would run:";
    for (const std::string& command : request.commands) text += "\n  " + command;
  }
  // The arguments say more than the command line: a directory, variables.
  const bool more = !request.subject.empty() && request.subject.front() == '{';
  const std::string first = what_is_asked(request);
  if (more) {
    add(text, "In full", printable(request.subject, kMaxSubjectBytes));
  } else if (first.size() > kMaxFirstLineBytes) {
    add(text, "In full", first);
  }
  if (!request.rule.empty()) {
    std::string rule = printable(request.rule, kMaxNameBytes);
    if (!request.file.empty()) {
      rule +=
          " (" + printable(request.file, kMaxNameBytes) + ":" + std::to_string(request.line) + ")";
    }
    add(text, "Rule", rule);
  }
  if (request.rules.size() > 1) {
    add(text, "Also asks", printable(rules_text(request, 1), kMaxSubjectBytes));
  }
  return text;
}

std::string question_text(const AskRequest& request) {
  return question_head(request) + "\n" + question_details(request);
}

std::string rules_text(const AskRequest& request, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < request.rules.size(); ++i) {
    text += (i == first ? "" : ", ") + request.rules[i];
  }
  return text;
}

}  // namespace gibbous::stdio
