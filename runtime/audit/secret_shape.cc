// Tokens whose shape identifies them. Each position is visited once for each shape: a run of
// characters that did not match a shape is not searched again for it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "runtime/audit/secret_span.h"

namespace gibbous {
namespace {

enum class Run : std::uint8_t {
  kAlnum,  // letters and digits
  kWord,   // and _
  kDash,   // and _ and -
  kDotted  // and _ and - and .
};

bool is_in(Run run, char c) {
  switch (run) {
    case Run::kAlnum:
      return is_alnum(c);
    case Run::kWord:
      return is_alnum(c) || c == '_';
    case Run::kDash:
      return is_alnum(c) || c == '_' || c == '-';
    case Run::kDotted:
      return is_alnum(c) || c == '_' || c == '-' || c == '.';
  }
  return false;
}

struct Shape {
  std::string_view prefix;
  Run run;
  std::size_t least;  // characters after the prefix
  bool with_digit = false;
  std::size_t most = std::string_view::npos;
  std::size_t dots = 0;
};

constexpr std::array<Shape, 42> kShapes = {{
    {"ghp_", Run::kWord, 20},
    {"gho_", Run::kWord, 20},
    {"ghu_", Run::kWord, 20},
    {"ghs_", Run::kWord, 20},
    {"ghr_", Run::kWord, 20},
    {"github_pat_", Run::kWord, 20},
    {"glpat-", Run::kDash, 16},
    {"gldt-", Run::kDash, 16},
    {"glrt-", Run::kDash, 16},
    {"glcbt-", Run::kDash, 16},
    {"glptt-", Run::kDash, 16},
    {"sk-", Run::kDash, 20, true},
    {"sk_live_", Run::kWord, 10},
    {"sk_test_", Run::kWord, 10},
    {"rk_live_", Run::kWord, 10},
    {"whsec_", Run::kWord, 16},
    {"xoxa-", Run::kDash, 10},
    {"xoxb-", Run::kDash, 10},
    {"xoxe-", Run::kDash, 10},
    {"xoxe.", Run::kDotted, 10},
    {"xoxo-", Run::kDash, 10},
    {"xoxp-", Run::kDash, 10},
    {"xoxr-", Run::kDash, 10},
    {"xoxs-", Run::kDash, 10},
    {"xapp-", Run::kDash, 10},
    {"AKIA", Run::kAlnum, 16, false, 16},
    {"ASIA", Run::kAlnum, 16, false, 16},
    {"eyJ", Run::kDotted, 20, false, std::string_view::npos, 2},
    {"npm_", Run::kAlnum, 30},
    {"AIza", Run::kDash, 30, false, 40},
    {"ya29.", Run::kDotted, 20},
    {"SG.", Run::kDotted, 40, false, std::string_view::npos, 1},
    {"hf_", Run::kAlnum, 20},
    {"gsk_", Run::kAlnum, 20},
    {"dop_v1_", Run::kAlnum, 40},
    {"pypi-AgE", Run::kDash, 20},
    {"shpat_", Run::kAlnum, 20},
    {"dapi", Run::kAlnum, 32, true, 32},
    {"tskey-", Run::kDash, 20},
    {"hvs.", Run::kDash, 20},
    {"AGE-SECRET-KEY-1", Run::kAlnum, 20},
    {"hooks.slack.com/services/", Run::kAlnum, 1},  // more may follow, see secret_end
}};

// The shapes that begin with each letter, as bits.
constexpr std::array<std::uint64_t, 128> shapes_by_letter() {
  std::array<std::uint64_t, 128> shapes{};
  for (std::size_t which = 0; which < kShapes.size(); ++which) {
    shapes.at(static_cast<unsigned char>(kShapes.at(which).prefix[0])) |= std::uint64_t{1} << which;
  }
  return shapes;
}
constexpr std::array<std::uint64_t, 128> kShapesByLetter = shapes_by_letter();

constexpr std::string_view kSlackHook = "hooks.slack.com/services/";

// Returns where the secret after the prefix ends, and sets `run_end` to the end of its run. 0: no
// secret.
std::size_t secret_end(const Shape& shape, std::string_view text, std::size_t at,
                       std::size_t& run_end) {
  std::size_t end = at;
  std::size_t dots = 0;
  bool digit = false;
  const bool path = shape.prefix == kSlackHook;
  for (; end < text.size() && (is_in(shape.run, text[end]) || (path && text[end] == '/')); ++end) {
    dots += text[end] == '.' ? 1U : 0U;
    digit = digit || is_digit(text[end]);
  }
  run_end = end;
  // A sentence's full stop is not part of a token.
  while (end > at && text[end - 1] == '.') --end, --dots;
  const std::size_t length = end - at;
  const bool good = length >= shape.least && length <= shape.most && dots >= shape.dots &&
                    (digit || !shape.with_digit);
  return good ? end : 0;
}

// Finds the text from after "-----BEGIN … PRIVATE KEY-----" to before its end, or to the end of the
// text.
void find_private_keys(std::string_view text, SecretSpans& spans) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  constexpr std::string_view kKey = "PRIVATE KEY";
  constexpr std::size_t kMostTitle = 64;
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at)) {
    at += kBegin.size();
    const std::string_view title = text.substr(at, kMostTitle);
    const std::size_t title_end = title.find(kDashes);
    if (title_end == std::string_view::npos ||
        title.substr(0, title_end).find(kKey) == std::string_view::npos) {
      continue;
    }
    const std::size_t begin = at + title_end + kDashes.size();
    const std::size_t end = std::min(text.find("-----END ", begin), text.size());
    spans.push_back({begin, end});
    at = end;
  }
}

}  // namespace

void find_shapes(std::string_view text, SecretSpans& spans) {
  find_private_keys(text, spans);
  std::array<std::size_t, kShapes.size()> barren{};  // searched for the shape up to here
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_letter(text[at]) || (at > 0 && is_in(Run::kWord, text[at - 1]))) continue;
    // A letter is ASCII.
    std::uint64_t left = kShapesByLetter[static_cast<unsigned char>(text[at])];
    for (; left != 0; left &= left - 1) {
      const auto which = static_cast<std::size_t>(std::countr_zero(left));
      const Shape& shape = kShapes[which];
      if (at < barren[which] || !text.substr(at).starts_with(shape.prefix)) continue;
      const std::size_t begin = at + shape.prefix.size();
      std::size_t run_end = begin;
      const std::size_t end = secret_end(shape, text, begin, run_end);
      barren[which] = run_end;
      if (end == 0) continue;
      spans.push_back({shape.prefix == kSlackHook ? begin : at, end});
      at = end - 1;
      break;
    }
  }
}

}  // namespace gibbous
