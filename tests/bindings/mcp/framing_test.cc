// Lines from bytes in any pieces; JSON of any depth.
#include <string>
#include <vector>

#include "bindings/mcp/json.h"
#include "bindings/stdio/line_splitter.h"
#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

struct Collector {
  explicit Collector(std::size_t limit = stdio::kMaxLineBytes)
      : splitter(
            {[this](std::string_view line) { lines.emplace_back(line); }, [this] { ++oversized; }},
            limit) {}
  std::vector<std::string> lines;
  int oversized = 0;
  stdio::LineSplitter splitter;
};

using Lines = std::vector<std::string>;

TEST_CASE("lines do not depend on how their bytes were split") {
  const std::string input = "{\"a\":1}\n{\"b\":2}\r\n\n  \r\n{\"c\":3}\n";
  for (std::size_t piece = 1; piece <= input.size(); ++piece) {
    Collector collector;
    for (std::size_t at = 0; at < input.size(); at += piece) {
      collector.splitter.feed(std::string_view(input).substr(at, piece));
    }
    INFO("pieces of " << piece << " bytes");
    CHECK(collector.lines == Lines{"{\"a\":1}", "{\"b\":2}", "{\"c\":3}"});
  }
}

TEST_CASE("a line that is too long is reported once, and the next one is read") {
  for (std::size_t piece = 1; piece <= 16; ++piece) {
    Collector collector(8);
    const std::string input = "12345678\n123456789\n" + std::string(100, 'x') + "\nshort\n";
    for (std::size_t at = 0; at < input.size(); at += piece) {
      collector.splitter.feed(std::string_view(input).substr(at, piece));
    }
    INFO("pieces of " << piece << " bytes");
    CHECK(collector.lines == Lines{"12345678", "short"});
    CHECK(collector.oversized == 2);
  }
}

TEST_CASE("a last line without an end is read") {
  Collector collector;
  collector.splitter.feed("{\"a\":1}\n{\"b\"");
  collector.splitter.feed(":2}");
  CHECK(collector.lines.size() == 1);
  collector.splitter.finish();
  CHECK(collector.lines == Lines{"{\"a\":1}", "{\"b\":2}"});
  collector.splitter.finish();
  CHECK(collector.lines.size() == 2);
}

TEST_CASE("an unfinished line that is too long is not reported again at the end of input") {
  Collector collector(8);
  collector.splitter.feed("123456789");
  CHECK(collector.oversized == 1);
  collector.splitter.finish();
  CHECK(collector.oversized == 1);
  CHECK(collector.lines.empty());
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST_CASE("JSON is read to the depth limit and refused beyond it without a crash") {
  CHECK(parse_json(nested(kMaxDepth)).failure == ParseFailure::kNone);
  CHECK(parse_json(nested(kMaxDepth + 1)).failure == ParseFailure::kTooDeep);
  constexpr std::size_t kManyLevels = 200'000;
  CHECK(parse_json(nested(kManyLevels)).failure == ParseFailure::kTooDeep);
  CHECK(parse_json(std::string(kManyLevels, '[')).failure == ParseFailure::kTooDeep);
  std::string objects;
  for (std::size_t level = 0; level < kManyLevels; ++level) objects += "{\"a\":";
  CHECK(parse_json(objects).failure == ParseFailure::kTooDeep);
}

TEST_CASE("brackets inside strings do not count as depth") {
  const std::string text = "[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]";
  CHECK(parse_json(text).failure == ParseFailure::kNone);
}

TEST_CASE("the id of a message that cannot be read is found") {
  const Parsed parsed =
      parse_json("{\"id\":7,\"params\":" + nested(200'000) + ",\"method\":\"tools/call\"}");
  CHECK(parsed.failure == ParseFailure::kTooDeep);
  CHECK(parsed.value["id"] == 7);
  CHECK(parse_json(R"({"text":"\ud83d","id":"a"})").value["id"] == "a");
  CHECK(parse_json(R"({"a":{"id":1},"text":"\ud83d"})").value["id"].is_null());
}

TEST_CASE("invalid JSON and invalid UTF-8 are syntax failures") {
  for (const char* text :
       {"", "{", "nul", "{\"a\":1}}", "{'a':1}", "\"\xff\"", "{\"a\":01}", "[1,]"}) {
    INFO(text);
    CHECK(parse_json(text).failure == ParseFailure::kSyntax);
  }
}

TEST_CASE("an outgoing line holds no newline and no invalid UTF-8") {
  const std::string line = to_text(Json{{"text", "a\nb\xff\xc3"}});
  CHECK(line == "{\"text\":\"a\\nb\xEF\xBF\xBD\xEF\xBF\xBD\"}");
}

TEST_CASE("whole numbers stay integers") {
  CHECK(to_text(json_number(50.0)) == "50");
  CHECK(to_text(json_number(-3.0)) == "-3");
  CHECK(to_text(json_number(0.5)) == "0.5");
  CHECK(json_number(1e300).is_number_float());
}

}  // namespace
}  // namespace gibbous::mcp
