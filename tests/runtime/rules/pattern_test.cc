// Globs against their definition, values with holes, and RE2 with its limits.
#include <cstdint>
#include <ctime>
#include <random>
#include <string>

#include "runtime/command/glob.h"
#include "tests/runtime/rules/by_hand.h"

using by_hand::pattern;
using by_hand::value;
using gibbous::rules::kMaxRulePatternBytes;
using gibbous::rules::Pattern;

namespace {

bool matches(const std::string& glob, const std::string& text) {
  return pattern(glob).matches(std::string_view(text));
}

// By definition, exponential: for short ones.
bool by_definition(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob.front() == '*') {
    for (std::size_t i = 0; i <= text.size(); ++i)
      if (by_definition(glob.substr(1), text.substr(i))) return true;
    return false;
  }
  if (text.empty() || (glob.front() != '?' && glob.front() != text.front())) return false;
  return by_definition(glob.substr(1), text.substr(1));
}

std::string random_text(std::mt19937& random, const char* letters, std::size_t count) {
  std::string text;
  for (std::size_t size = random() % 9; size > 0; --size) text += letters[random() % count];
  return text;
}

}  // namespace

TEST_CASE("a glob matches a whole text") {
  CHECK(matches("rm", "rm"));
  CHECK_FALSE(matches("rm", "rmdir"));
  CHECK_FALSE(matches("rm", "arm"));
  CHECK(matches("mkfs*", "mkfs.ext4"));
  CHECK(matches("mkfs*", "mkfs"));
  CHECK(matches("*", ""));
  CHECK(matches("", ""));
  CHECK_FALSE(matches("", "x"));
  CHECK(matches("a?c", "abc"));
  CHECK_FALSE(matches("a?c", "ac"));
  CHECK(matches("*.tar.*", "x.tar.gz"));
  CHECK_FALSE(matches("ab*ba", "aba"));
  CHECK(matches("[a-z]", "[a-z]"));
}

TEST_CASE("a question mark is one character of UTF-8") {
  CHECK(matches("caf?", "caf\xc3\xa9"));
  CHECK(matches("*?!", "\xe2\x82\xac!"));
  CHECK_FALSE(matches("caf??", "caf\xc3\xa9"));
  CHECK(matches("?", "\xff"));
}

TEST_CASE("globs match as their definition says") {
  std::mt19937 random(1);
  for (int round = 0; round < 50'000; ++round) {
    const std::string glob = random_text(random, "ab*?*", 5);
    const std::string text = random_text(random, "ab", 2);
    CAPTURE(glob, text);
    REQUIRE(matches(glob, text) == by_definition(glob, text));
  }
}

TEST_CASE("pathological globs and expressions take linear time") {
  constexpr std::size_t kLong = std::size_t{64} << 10;
  const std::string text(kLong, 'a');
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a";
  const std::clock_t begin = std::clock();  // of the processor
  for (const std::string& glob : {std::string("*a*a*a*b"), stars + "*b", stars + "?b",
                                  "*" + std::string(400, 'a') + "b*", std::string("re:(a*)*b")}) {
    CHECK_FALSE(matches(glob, text));
  }
  CHECK(matches(stars + "*", text));
  CHECK(std::clock() - begin < 2 * CLOCKS_PER_SEC);
}

TEST_CASE("a star covers a hole, or the value does not match") {
  const auto holds = [](const char* glob, const char* word) {
    return pattern(glob).matches(value(word));
  };
  CHECK(holds("/tmp/*", "/tmp/$x"));
  CHECK(holds("*", "$x"));
  CHECK(holds("/tmp/*.log", "/tmp/'$x'.log"));
  CHECK(holds("*a*b*", "$x-a-$y-b"));
  CHECK_FALSE(holds("*a*b*", "$x-b-$y-a"));
  CHECK_FALSE(holds("/tmp/?", "/tmp/$x"));
  CHECK_FALSE(holds("/tmp/x", "/tmp/$x"));
  CHECK_FALSE(holds("/tmp/$x", "/tmp/$x"));
  CHECK_FALSE(holds("/tmp/a*", "/tmp/$x"));
  CHECK_FALSE(holds("*x*", "$x"));  // the name of the variable is not its value
  CHECK_FALSE(holds("*b", "a$b"));
  CHECK_FALSE(holds("a*a", "a$x"));
  CHECK(holds("a*a", "a$'a"));
  CHECK(holds("*.c", "src/*.c"));  // a file pattern
  CHECK_FALSE(holds("src/a*.c", "src/*.c"));
}

TEST_CASE("an expression matches whole texts, any bytes, and nothing unknown") {
  CHECK(matches("re:a|b+", "bb"));
  CHECK_FALSE(matches("re:a|b+", "ab"));
  CHECK(matches("re:.*force.*", "x\nforce"));
  CHECK(matches("re:.*force.*", "\xff--force"));
  CHECK(matches("re:caf\xc3\xa9.", "caf\xc3\xa9!"));
  CHECK(matches("re:\\p{Greek}", "\xce\xb1"));
  CHECK_FALSE(pattern("re:.*").matches(value("a$x")));
  CHECK(pattern("re:src/.*").matches(value("src/*.c")));
}

TEST_CASE("a value may match what its known beginning and end leave open") {
  const auto may = [](const char* glob, const char* word) {
    return pattern(glob).may_match(value(word));
  };
  CHECK(may("--force", "'$x'"));
  CHECK(may("--force", "--'$x'"));
  CHECK(may("--force", "--f'$x'ce"));
  CHECK(may("--force", "src$x"));  // may become "src --force"
  CHECK_FALSE(may("--force", "src'$x'"));
  CHECK_FALSE(may("--force", "'$x'.c"));
  CHECK_FALSE(may("--force", "src"));
  CHECK(may("--force", "--force"));
  CHECK(may("*.c", "src/*"));
  CHECK_FALSE(may("*.c", "src/*.h"));
  CHECK(may("re:x", "'$x'"));
  CHECK_FALSE(may("re:x", "y"));
}

TEST_CASE("a pattern that matches an expansion of a value may match the value") {
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    const std::string glob = random_text(random, "ab*?*", 5);
    const std::string before = random_text(random, "ab", 2);
    const std::string inside = random_text(random, "ab", 2);
    const std::string behind = random_text(random, "ab", 2);
    const auto word = value(before + "'$X'" + behind);
    CAPTURE(glob, before, inside, behind);
    const bool becomes = matches(glob, before + inside + behind);
    if (pattern(glob).matches(word)) REQUIRE(becomes);
    if (becomes) REQUIRE(pattern(glob).may_match(word));
  }
}

TEST_CASE("an invalid pattern is reported with the fault and its position") {
  const auto unclosed = Pattern::compile("re:port [0-9");
  REQUIRE_FALSE(unclosed);
  CHECK(unclosed.status().code() == "invalid_pattern");
  CHECK(unclosed.status().message() == "pattern \"re:port [0-9\": missing ]: [0-9 (at byte 9)");
  CHECK_FALSE(Pattern::compile("re:"));
  CHECK_FALSE(Pattern::compile("re:(?=x)"));
  CHECK_FALSE(Pattern::compile("re:((((a{1000}){1000}){1000}))"));
  CHECK_FALSE(Pattern::compile(std::string(kMaxRulePatternBytes + 1, 'a')));
  CHECK(Pattern::compile(""));
}
