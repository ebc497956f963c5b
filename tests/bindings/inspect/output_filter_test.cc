// Untrusted output that is shown on a terminal or elsewhere.
#include "bindings/inspect/output_filter.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/output/text.h"
#include "tests/support/catch.h"

using gibbous::is_utf8;
using gibbous::inspect::OutputFilter;
using Form = OutputFilter::Form;

namespace {

std::string filtered(Form form, const std::string& text, std::size_t piece = std::string::npos) {
  OutputFilter filter(form);
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += std::min(piece, text.size())) {
    shown += filter.feed(text.substr(at, piece));
  }
  return shown + filter.finish();
}

}  // namespace

TEST_CASE("colours and changes within the line reach a terminal") {
  for (const char* kept : {"\x1b[31mred\x1b[0m", "\x1b[38;5;208mx\x1b[m", "\x1b[38:2::1:2:3mx",
                           "10%\r20%\n", "ab\b", "\x1b[2Kline", "\x1b[Kx", "tab\tand \xC3\xA4"}) {
    INFO(kept);
    CHECK(filtered(Form::kColour, kept) == kept);
  }
}

TEST_CASE("sequences that change more than the line do not reach a terminal") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x1b[2J\x1b[Hclear", "clear"},
      {"\x1b]0;title\x07text", "text"},
      {"\x1b]52;c;ZXZpbA==\x1b\\text", "text"},
      {"\x1b[6nquery", "query"},
      {"\x1b[?1049hscreen", "screen"},
      {"\x1b[>4;2mkeys", "keys"},
      {"\x1b[10Aup", "up"},
      {"\x1bPdevice\x1b\\text", "text"},
      {"\xC2\x9B"
       "2Jc1",
       "c1"},
      {"\x1b"
       "creset",
       "reset"},
      {"bell\x07 nul", "bell nul"},
      {"\xFF\xFEx", "\xEF\xBF\xBD\xEF\xBF\xBDx"},
  };
  for (const auto& [raw, shown] : cases) {
    INFO(shown);
    CHECK(filtered(Form::kColour, raw) == shown);
    CHECK(filtered(Form::kPlain, raw) == shown);
  }
}

TEST_CASE("without a terminal the text is plain, and CR LF is a line end") {
  CHECK(filtered(Form::kPlain, "\x1b[1;31merror\x1b[0m: x\r\n") == "error: x\n");
  CHECK(filtered(Form::kPlain, "10%\r20%\r\n") == "10%\r20%\n");
}

TEST_CASE("the result does not depend on how the output was split") {
  const std::string raw =
      "a\x1b[31mred\x1b[0m\xC3\xA4\xE2\x82\xAC\x1b]0;title\x07|\r\n\x1b[2Kx\x1b[5A\xFF|";
  for (const Form form : {Form::kColour, Form::kPlain}) {
    const std::string whole = filtered(form, raw);
    for (std::size_t piece = 1; piece < raw.size(); ++piece) {
      INFO("pieces of " << piece);
      CHECK(filtered(form, raw, piece) == whole);
    }
  }
}

TEST_CASE("the filter knows whether a colour is active") {
  OutputFilter filter(Form::kColour);
  CHECK_FALSE(filter.coloured());
  (void)filter.feed("\x1b[31mred");
  CHECK(filter.coloured());
  (void)filter.feed("\x1b[0m");
  CHECK_FALSE(filter.coloured());
}

TEST_CASE("random input gives UTF-8 without sequences other than colours and erasing") {
  constexpr int kInputs = 2'000;
  const std::string alphabet =
      "\x1b\x1b\x1b[[]P?;:0123mKGJHhl\x07\\\xC2\x9B\xE2\x82\xAC\r\n ab\x7F";
  std::mt19937 random(7);  // NOLINT: the same inputs each time
  for (int input = 0; input < kInputs; ++input) {
    std::string raw;
    for (int i = 0; i < 40; ++i) raw += alphabet[random() % alphabet.size()];
    const std::string shown = filtered(Form::kColour, raw, 1 + random() % 9);
    REQUIRE(is_utf8(shown));
    for (std::size_t at = shown.find('\x1b'); at != std::string::npos;
         at = shown.find('\x1b', at + 1)) {
      INFO(shown);
      REQUIRE(shown.compare(at, 2, "\x1b[") == 0);
      const std::size_t end = shown.find_first_not_of("0123456789;:", at + 2);
      REQUIRE(end != std::string::npos);
      REQUIRE(std::string("mKG").find(shown[end]) != std::string::npos);
    }
  }
}
