// Keys in the notation of Vim: what is accepted and refused, and what a shell would make of them.
#include "runtime/terminal/keys.h"

#include <random>

#include "runtime/output/text.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

KeyStroke only(const std::string& text) {
  const auto strokes = parse_keys(text);
  INFO(text << ": " << strokes.status().message());
  REQUIRE(strokes.ok());
  REQUIRE(strokes->size() == 1);
  return strokes->front();
}

std::string plain(const std::string& text) {
  std::string bytes;
  const auto strokes = parse_keys(text);
  REQUIRE(strokes.ok());
  for (const KeyStroke& stroke : *strokes) bytes += plain_bytes(stroke);
  return bytes;
}

std::string problem(const std::string& text) {
  const auto strokes = parse_keys(text);
  REQUIRE(!strokes.ok());
  CHECK(strokes.status().code() == "invalid_arguments");
  return strokes.status().message();
}

TEST_CASE("text is typed unchanged, and line ends are Enter") {
  CHECK(plain("echo \xC3\xA9 \xE6\xBC\xA2") == "echo \xC3\xA9 \xE6\xBC\xA2");
  CHECK(only("\n").key == Key::kEnter);
  CHECK(only("\t").key == Key::kTab);
}

TEST_CASE("keys have names whose case does not count") {
  CHECK(only("<Enter>").key == Key::kEnter);
  CHECK(only("<enter>").key == Key::kEnter);
  CHECK(only("<CR>").key == Key::kEnter);
  CHECK(only("<Up>").key == Key::kUp);
  CHECK(only("<BS>").key == Key::kBackspace);
  CHECK(only("<Del>").key == Key::kDelete);
  CHECK(only("<PageUp>").key == Key::kPageUp);
  CHECK(only("<F5>").key == Key::kFunction);
  CHECK(only("<F12>").number == 12);
  CHECK(plain("<Space><lt>") == " <");
}

TEST_CASE("modifiers precede a key or a character") {
  CHECK(plain("<C-c>") == "\x03");
  CHECK(plain("<C-C>") == "\x03");
  CHECK(plain("<C-[>") == "\x1b");
  CHECK(plain("<C-\\>") == "\x1c");
  CHECK(plain("<C-Space>") == std::string(1, '\0'));
  CHECK(plain("<C-?>") == "\x7f");
  CHECK(plain("<M-x>") == "\x1bx");
  CHECK(plain("<M-X>") == "\x1bX");
  CHECK(only("<S-Tab>").shift);
  CHECK(only("<C-M-Up>").control);
  CHECK(only("<C-M-Up>").alt);
  CHECK(only("<C-->").character == U'-');
  CHECK(only("<M-\xC3\xA9>").character == U'\u00e9');
}

TEST_CASE("a key that does not exist is an error that names the nearest") {
  CHECK(problem("<Entre>").find("did you mean <Enter>?") != std::string::npos);
  CHECK(problem("<C-PageUpp>").find("did you mean <C-PageUp>?") != std::string::npos);
  CHECK(problem("<F13>").find("there is no key <F13>") != std::string::npos);
  CHECK(problem("<x>").find("<lt>") != std::string::npos);
  CHECK(problem("a < b").find("<lt>") != std::string::npos);
  CHECK(problem("<Q-x>").find("there is no key") != std::string::npos);
}

TEST_CASE("too much and invalid UTF-8 are refused") {
  CHECK(problem(std::string(kMaxKeysBytes + 1, 'x')).find("at most") != std::string::npos);
  CHECK(problem("a\xFF").find("UTF-8") != std::string::npos);
}

TEST_CASE("literal text has no names of keys") {
  const auto strokes = literal_keys("<Up>");
  REQUIRE(strokes.ok());
  CHECK(strokes->size() == 4);
}

TEST_CASE("keys that only a terminal knows have no plain bytes") {
  CHECK(plain("<Up>").empty());
  CHECK(plain("<F1>").empty());
  CHECK(plain("<S-Tab>").empty());
  CHECK(plain("<C-Up>").empty());
  CHECK(plain("<C-1>") == "1");
}

TypedText typed(const std::string& text) {
  const auto strokes = parse_keys(text);
  REQUIRE(strokes.ok());
  return typed_text(*strokes);
}

TEST_CASE("a shell gets lines, and edited lines are marked") {
  CHECK(typed("rm -rf /<Enter>").text == "rm -rf /\n");
  CHECK(!typed("rm -rf /<Enter>").edited);
  CHECK(typed("ls<C-c>").text == "ls\n");
  CHECK(typed("ls<C-c>").interrupted);
  CHECK(!typed("ls<Enter>pwd<C-j>\n").interrupted);
  CHECK(!typed("<C-l>").edited);
  for (const char* keys :
       {"<Up>", "<C-r>", "<M-.>", "<Tab>", "<BS>", "<Left>", "<C-y>", "<Esc>", "\x1b[A"}) {
    INFO(keys);
    CHECK(typed(keys).edited);
  }
  CHECK(typed_bytes("ls\r").text == "ls\n");
  CHECK(typed_bytes("\x1b[A\r").edited);
  CHECK(!typed_bytes("ls\n").edited);
}

TEST_CASE("any input is understood or rejected, and the result is UTF-8") {
  std::mt19937 random(7);
  constexpr int kRounds = 20'000;
  const std::string alphabet = "<>-CMSFcx15UpEnterTab\n\x1b\xC3\xA9 ";
  for (int round = 0; round < kRounds; ++round) {
    std::string text;
    for (std::size_t size = random() % 24; size > 0; --size)
      text += alphabet[random() % alphabet.size()];
    const auto strokes = parse_keys(text);
    if (!strokes) continue;
    CHECK(strokes->size() <= text.size());
    for (const KeyStroke& stroke : *strokes) CHECK(is_utf8(plain_bytes(stroke)));
  }
}

}  // namespace
}  // namespace gibbous
