// Each finder reads the original text; their spans are merged and replaced in one pass.
#include "runtime/audit/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "runtime/audit/secret_span.h"
#include "runtime/output/escape.h"

namespace gibbous {
namespace {

constexpr std::int64_t kPatternMemory = std::int64_t{1} << 20;

Status wrong_pattern(std::size_t index, const std::string& pattern, const std::string& why) {
  return Status::error("invalid_arguments", "redact[" + std::to_string(index + 1) +
                                                "]: expected an RE2 pattern, got '" + pattern +
                                                "': " + why);
}

void find_matches(const re2::RE2& pattern, std::string_view text, SecretSpans& spans) {
  const re2::StringPiece whole(text.data(), text.size());
  std::array<re2::StringPiece, 2> found;
  const int groups = std::min(pattern.NumberOfCapturingGroups(), 1) + 1;
  std::size_t matches = 0;
  for (std::size_t at = 0; at <= text.size();) {
    if (!pattern.Match(whole, at, text.size(), re2::RE2::UNANCHORED, found.data(), groups)) return;
    const auto offset = [&](const char* place) {
      return static_cast<std::size_t>(place - text.data());
    };
    const std::size_t end = offset(found[0].data()) + found[0].size();
    if (++matches > kMaxRedactMatches) {
      spans.push_back({offset(found[0].data()), text.size()});
      return;
    }
    const re2::StringPiece secret = groups > 1 && found[1].data() != nullptr ? found[1] : found[0];
    spans.push_back({offset(secret.data()), offset(secret.data()) + secret.size()});
    at = found[0].empty() ? end + 1 : end;
  }
}

std::string replaced(std::string_view text, SecretSpans& spans) {
  std::sort(spans.begin(), spans.end(),
            [](const SecretSpan& a, const SecretSpan& b) { return a.begin < b.begin; });
  std::string redacted;
  redacted.reserve(text.size());
  std::size_t done = 0;
  std::size_t end_of_last = std::string_view::npos;
  for (const SecretSpan& span : spans) {
    if (span.end <= span.begin || span.end <= done) continue;
    // A span that touches the previous one belongs to it.
    if (span.begin > done || end_of_last != done) {
      if (span.begin > done) redacted.append(text.substr(done, span.begin - done));
      redacted.append(kMask);
    }
    done = span.end;
    end_of_last = done;
  }
  redacted.append(text.substr(done));
  return redacted;
}

}  // namespace

Result<Redactor> Redactor::create(const std::vector<std::string>& patterns, std::size_t most) {
  if (patterns.size() > most) {
    return Status::error("invalid_arguments", "redact: expected at most " + std::to_string(most) +
                                                  " patterns, got " +
                                                  std::to_string(patterns.size()));
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory);
  Redactor redactor;
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    const std::string& pattern = patterns[index];
    if (pattern.empty() || pattern.size() > kMaxRedactPatternBytes) {
      return wrong_pattern(index, pattern.substr(0, 40),
                           "expected 1 to " + std::to_string(kMaxRedactPatternBytes) + " bytes");
    }
    auto compiled = std::make_shared<const re2::RE2>(pattern, options);
    if (!compiled->ok()) return wrong_pattern(index, pattern, compiled->error());
    redactor.patterns_.push_back(std::move(compiled));
  }
  return redactor;
}

std::string Redactor::redact(std::string_view text) const {
  SecretSpans spans;
  find(text, spans);
  return replaced(text, spans);
}

std::vector<std::string> Redactor::redact_pieces(
    const std::vector<std::string_view>& pieces) const {
  std::string whole;
  for (const std::string_view piece : pieces) whole += piece;
  SecretSpans all;
  find(whole, all);
  std::vector<std::string> redacted;
  std::size_t begin = 0;
  for (const std::string_view piece : pieces) {
    // What the piece is alone, and its part of what the whole text is.
    SecretSpans spans;
    find(piece, spans);
    for (const SecretSpan& span : all) {
      if (span.end <= begin || span.begin >= begin + piece.size()) continue;
      spans.push_back(
          {std::max(span.begin, begin) - begin, std::min(span.end - begin, piece.size())});
    }
    redacted.push_back(replaced(piece, spans));
    begin += piece.size();
  }
  return redacted;
}

void Redactor::find(std::string_view text, SecretSpans& spans) const {
  const auto find_written = [this](std::string_view written, SecretSpans& found) {
    find_patterns(written, found);
    find_word_values(written, found);
    for (const auto& pattern : patterns_) find_matches(*pattern, written, found);
  };
  find_written(text, spans);
  if (text.find(kEscape) == std::string_view::npos) return;
  // What a terminal shows without its colours. Escape sequences in a secret stay.
  const ShownText shown = without_escapes(text);
  SecretSpans seen;
  find_written(shown.text, seen);
  for (const SecretSpan& span : seen) {
    for (std::size_t at = span.begin; at < span.end; ++at) {
      const std::size_t place = shown.places[at];
      const bool goes_on = at > span.begin && spans.back().end == place;
      if (!goes_on) spans.push_back({place, place});
      spans.back().end = place + 1;
    }
  }
}

std::string redact_secrets(std::string_view text) {
  return Redactor().redact(text);
}

}  // namespace gibbous
