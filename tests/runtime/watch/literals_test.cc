// Which literals a regex requires, and that they are found at every place.
#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "runtime/watch/literal_finder.h"
#include "runtime/watch/required_literals.h"
#include "runtime/watch/survey.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

using Texts = std::vector<std::string>;

Texts literals_of(const std::string& regex) {
  Texts literals = required_literals(regex);
  std::sort(literals.begin(), literals.end());
  return literals;
}

TEST_CASE("a regex requires its literals, in lower case, and as few as suffice") {
  CHECK(literals_of("Listening on \\d+") == Texts{"listening on "});
  CHECK(literals_of("error.*undefined reference") == Texts{"undefined reference"});
  CHECK(literals_of("FAILED|panicked at") == Texts{"failed", "panicked at"});
  CHECK(literals_of("(GET|POST) /index") == Texts{"get /index", "post /index"});
  CHECK(literals_of("(?i)listening") == Texts{"listening"});
  CHECK(literals_of("✓ built in") == Texts{" built in"});
}

TEST_CASE("a regex that matches without any literal requires none") {
  for (const char* regex : {"^\\d+$", "error|\\d+", "(ready)?", ".*", "ok", "✓", "(?:error)*"}) {
    CHECK(literals_of(regex).empty());
  }
}

std::set<std::pair<std::size_t, std::size_t>> plain_places(const Texts& literals,
                                                           const std::string& text) {
  std::set<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t index = 0; index < literals.size(); ++index) {
    for (std::size_t at = text.find(literals[index]); at != std::string::npos;
         at = text.find(literals[index], at + 1)) {
      places.insert({at, index});
    }
  }
  return places;
}

TEST_CASE("every literal is found at every offset, with few literals and with many") {
  std::mt19937 random(7);
  for (std::size_t round = 0; round < 400; ++round) {
    Texts literals(1 + round % 12);
    for (std::string& literal : literals) {
      literal.resize(kMinLiteralBytes + random() % 9);
      for (char& byte : literal) byte = static_cast<char>('a' + random() % 3);
    }
    std::string text(random() % 400, ' ');
    for (char& byte : text) byte = static_cast<char>('a' + random() % 4);
    const LiteralFinder finder(literals);
    std::vector<LiteralHit> hits;
    finder.find(text, &hits);
    CHECK(std::is_sorted(hits.begin(), hits.end(),
                         [](const auto& left, const auto& right) { return left.at < right.at; }));
    for (const auto& expected : plain_places(literals, text)) {
      const std::size_t place = expected.first;
      const std::size_t literal = expected.second;
      const std::size_t end = place + literals[literal].size();
      const bool found = std::any_of(hits.begin(), hits.end(), [&](const LiteralHit& hit) {
        return hit.literal == literal && hit.at >= place && hit.at < end;
      });
      CAPTURE(round, text, literals[literal], place);
      CHECK(found);
    }
  }
}

TEST_CASE("a scan of bytes counts newlines and finds each kind of byte at each offset") {
  for (std::size_t size = 1; size < 100; ++size) {
    std::string text(size, 'x');
    text[size / 2] = '\n';
    text[0] = '\n';
    const std::uint64_t newlines = size / 2 == 0 ? 1 : 2;
    for (int byte = 0; byte < 256; ++byte) {
      text.back() = static_cast<char>(byte);
      const ByteSurvey seen = survey(text);
      const bool last_was_newline = size <= 2;
      CHECK(seen.newlines == newlines - (last_was_newline ? 1 : 0) + (byte == '\n' ? 1 : 0));
      CHECK(seen.controls == ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7F));
      CHECK(seen.beyond_ascii == (byte >= 0x80));
    }
  }
  const std::string many(100'000, '\n');
  CHECK(survey(many).newlines == many.size());
}

TEST_CASE("characters beyond ASCII are found wherever they lie") {
  for (std::size_t place = 0; place < 150; ++place) {
    const std::string before(place, 'x');
    CHECK(look_beyond_ascii(before + "✓ é").clean);
    CHECK_FALSE(look_beyond_ascii(before + "é\xff").clean);
    CHECK_FALSE(look_beyond_ascii(before + "é\xc2\x9b").clean);
    CHECK_FALSE(look_beyond_ascii(before + "é").folding);
    for (const std::string_view folding : kFoldingCharacters) {
      const BeyondAscii beyond = look_beyond_ascii(before + std::string(folding) + "x");
      CHECK(beyond.clean);
      CHECK(beyond.folding);
    }
  }
}

}  // namespace
}  // namespace gibbous
