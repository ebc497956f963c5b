// Stream: what is kept, by offset and by line.
#include <cstring>
#include <string>
#include <vector>

#include "runtime/output/stream.h"
#include "tests/support/catch.h"

using gibbous::Lines;
using gibbous::Offset;
using gibbous::Slice;
using gibbous::Stream;

namespace {

constexpr std::size_t kSmallRing = 1024;
constexpr std::size_t kAll = 1 << 20;
constexpr std::uint64_t kManyLines = 10;

std::vector<std::string> split(const std::string& bytes) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t newline = std::min(bytes.find('\n', at), bytes.size());
    lines.push_back(bytes.substr(at, newline - at));
    at = newline + 1;
  }
  return lines;
}

std::vector<std::string> last_lines(const Stream& stream, std::uint64_t count) {
  return split(stream.tail(count, kAll).bytes);
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a stream stores and gives back lines") {
  Stream stream(kSmallRing);
  stream.append("line one\n");
  stream.append("line two\n");
  CHECK(last_lines(stream, kManyLines) == Strings{"line one", "line two"});
}

TEST_CASE("tail returns the last lines") {
  Stream stream(kSmallRing);
  stream.append("a\nb\nc\nd\ne\n");
  CHECK(last_lines(stream, 2) == Strings{"d", "e"});
  const Lines lines = stream.tail(2, kAll);
  CHECK(lines.first_line == 3);
  CHECK(lines.count == 2);
  CHECK(lines.from == 6);
  CHECK(lines.to == 10);
  CHECK_FALSE(lines.gap);
}

TEST_CASE("a full ring drops its oldest bytes, and tail returns only whole lines") {
  Stream stream(20, 0);
  stream.append("aaaaaaaaaa\n");
  stream.append("bbbbbbbbbb\n");
  CHECK(last_lines(stream, kManyLines) == Strings{"bbbbbbbbbb"});
  const Lines lines = stream.tail(kManyLines, kAll);
  REQUIRE(lines.gap);
  CHECK(lines.gap->from == 0);
  CHECK(lines.gap->to == 11);
}

TEST_CASE("bytes written are counted from the beginning, evicted ones included") {
  Stream stream(kSmallRing);
  stream.append("hello\n");
  CHECK(stream.end() == 6);
  stream.append(std::string(3 * kSmallRing, 'x'));
  CHECK(stream.end() == 6 + 3 * kSmallRing);
  CHECK(stream.begin() == stream.end() - kSmallRing);
}

TEST_CASE("a read from an offset gives what came since") {
  Stream stream(kSmallRing);
  stream.append("line1\nline2\n");
  const Offset cursor = stream.end();
  stream.append("line3\nline4\n");
  CHECK(stream.read(cursor, kAll).bytes == "line3\nline4\n");
}

TEST_CASE("a partial last line is a line") {
  Stream stream(kSmallRing);
  stream.append("complete\npartial");
  CHECK(last_lines(stream, kManyLines) == Strings{"complete", "partial"});
  CHECK(stream.line_count() == 2);
  CHECK(stream.tail(1, kAll).bytes == "partial");
}

TEST_CASE("a partial line is neither skipped nor repeated when it continues") {
  Stream stream(kSmallRing);
  std::string seen;
  Offset cursor = 0;
  for (const char* chunk : {"on", "e\ntw", "o", "\n", "three"}) {
    stream.append(chunk);
    const Slice slice = stream.read(cursor, kAll);
    seen += slice.bytes;
    cursor = slice.to;
    CHECK(stream.read(cursor, kAll).bytes.empty());
  }
  CHECK(seen == "one\ntwo\nthree");
  CHECK(stream.line_count() == 3);
}

TEST_CASE("output without a newline is evicted like any other") {
  Stream stream(kSmallRing, 0);
  stream.append(std::string(10 * kSmallRing, 'x'));
  CHECK(stream.begin() == 9 * kSmallRing);
  CHECK(stream.line_count() == 1);
  const Lines lines = stream.tail(1, kAll);
  CHECK(lines.bytes.size() == kSmallRing);
  REQUIRE(lines.gap);
  CHECK(lines.gap->from == 0);
  CHECK(lines.gap->to == lines.from);
}

TEST_CASE("a read of evicted bytes names them, and continues after them") {
  Stream stream(100, 0);
  stream.append(std::string(250, 'x'));
  const Slice slice = stream.read(20, kAll);
  REQUIRE(slice.gap);
  CHECK(slice.gap->from == 20);
  CHECK(slice.gap->to == 150);
  CHECK(slice.from == 150);
  CHECK(slice.to == 250);
  CHECK(slice.bytes.size() == 100);
}

TEST_CASE("the first bytes are kept") {
  Stream stream(100, 50);
  std::string all;
  for (int i = 0; i < 500; ++i) all += std::to_string(i) + "\n";
  for (std::size_t at = 0; at < all.size(); at += 7) stream.append(all.substr(at, 7));

  CHECK(stream.head_end() == 50);
  const Slice head = stream.read(0, kAll);
  CHECK(head.bytes == all.substr(0, 50));
  CHECK_FALSE(head.gap);
  const Slice rest = stream.read(head.to, kAll);
  REQUIRE(rest.gap);
  CHECK(rest.gap->from == 50);
  CHECK(rest.gap->to == all.size() - 100);
  CHECK(rest.bytes == all.substr(all.size() - 100));
}

TEST_CASE("reading disturbs no other reader and consumes nothing") {
  Stream stream(kSmallRing);
  stream.append("shared");
  CHECK(stream.read(0, kAll).bytes == "shared");
  CHECK(stream.read(0, 3).bytes == "sha");
  CHECK(stream.read(3, kAll).bytes == "red");
  CHECK(stream.read(0, kAll).bytes == "shared");
}

TEST_CASE("a cursor beyond the end is the end") {
  Stream stream(kSmallRing);
  stream.append("abc");
  const Slice slice = stream.read(1000, kAll);
  CHECK(slice.bytes.empty());
  CHECK(slice.from == 3);
  CHECK(slice.to == 3);
  CHECK_FALSE(slice.gap);
}

TEST_CASE("a stream without output holds no memory, one with little holds little") {
  Stream stream;
  CHECK(stream.memory() == 0);
  stream.append("x\n");
  CHECK(stream.memory() <= 5000);
}

TEST_CASE("a full stream holds its ring, its head and little more") {
  Stream stream;
  const std::string chunk(64 << 10, '\n');
  for (int i = 0; i < 64; ++i) stream.append(chunk);
  CHECK(stream.memory() <= gibbous::kDefaultHeadBytes + gibbous::kDefaultRingBytes * 11 / 10);
}

TEST_CASE("commit turns bytes in prepared areas into output") {
  Stream stream(8, 0);
  stream.append("abcde");
  const auto areas = stream.prepare(6);
  REQUIRE(areas[0].iov_len + areas[1].iov_len == 6);
  REQUIRE(areas[0].iov_len >= 2);
  std::memset(areas[0].iov_base, 'x', 2);
  stream.commit(2);
  CHECK(stream.read(0, kAll).bytes == "abcdexx");
}

TEST_CASE("prepared areas are never larger than the ring") {
  Stream stream(8, 0);
  const auto areas = stream.prepare(1000);
  CHECK(areas[0].iov_len + areas[1].iov_len == 8);
}

TEST_CASE("a UTF-8 sequence is never cut at the end of a read") {
  Stream stream(kSmallRing);
  stream.append("a\xE2\x82\xAC");  // a and the euro sign
  CHECK(stream.read(0, 2).bytes == "a");
  CHECK(stream.read(0, 3).bytes == "a");
  CHECK(stream.read(0, 4).bytes == "a\xE2\x82\xAC");

  SECTION("a sequence that has only begun waits for its rest") {
    stream.append("\xF0\x9F");
    const Slice slice = stream.read(4, kAll);
    CHECK(slice.bytes.empty());
    CHECK(slice.to == 4);
    CHECK(stream.tail(1, kAll).to == 4);
    stream.append("\x8C\x99");
    CHECK(stream.read(4, kAll).bytes == "\xF0\x9F\x8C\x99");
  }
  SECTION("after the end nothing waits") {
    stream.append("\xF0\x9F");
    stream.set_ended();
    CHECK(stream.read(4, kAll).bytes == "\xF0\x9F");
  }
  SECTION("a reader whose limit is smaller than a sequence gets on all the same") {
    CHECK(stream.read(1, 1).bytes == "\xE2");
    CHECK(stream.read(1, 2).bytes == "\xE2\x82");
  }
  SECTION("invalid bytes do not wait") {
    stream.append("\xFF\xC0\x80");
    CHECK(stream.read(4, kAll).bytes == "\xFF\xC0\x80");
  }
}

TEST_CASE("binary output is returned unchanged") {
  std::string binary;
  for (int i = 0; i < 256; ++i) binary += static_cast<char>(i);
  Stream stream(kSmallRing);
  stream.append(binary);
  stream.set_ended();
  CHECK(stream.read(0, kAll).bytes == binary);
}

TEST_CASE("tail returns at most max_bytes, whole lines first") {
  Stream stream(kSmallRing);
  stream.append("first\nsecond\nthird\n");
  SECTION("as many whole lines as fit") {
    const Lines lines = stream.tail(3, 15);
    CHECK(lines.bytes == "second\nthird\n");
    CHECK(lines.first_line == 1);
    CHECK(lines.count == 2);
    REQUIRE(lines.gap);
    CHECK(lines.gap->from == 0);
    CHECK(lines.gap->to == 6);
  }
  SECTION("the end of the last line when not even that fits") {
    const Lines lines = stream.tail(3, 4);
    CHECK(lines.bytes == "ird\n");
    CHECK(lines.first_line == 2);
    CHECK(lines.count == 1);
  }
  SECTION("nothing when nothing may be given") {
    CHECK(stream.tail(3, 0).count == 0);
    CHECK(stream.tail(0, kAll).bytes.empty());
  }
  SECTION("a line that fits exactly is whole") {
    CHECK(stream.tail(3, 13).count == 2);
  }
}

TEST_CASE("a line that begins with the first byte of the ring is whole") {
  Stream stream(22, 0);
  stream.append("aaaaaaaaaa\nbbbbbbbbbb\ncccccccccc\n");
  CHECK(last_lines(stream, kManyLines) == Strings{"bbbbbbbbbb", "cccccccccc"});
}

TEST_CASE("lines are found by number and by offset") {
  Stream stream(64, 10);
  stream.append("zero\none\n");
  for (int i = 2; i < 100; ++i) stream.append("line " + std::to_string(i) + "\n");
  CHECK(stream.line_count() == 100);
  SECTION("in the head") {
    CHECK(stream.line_offset(0) == Offset{0});
    CHECK(stream.line_offset(1) == Offset{5});
    CHECK(stream.line_at(4) == 0U);
    CHECK(stream.line_at(5) == 1U);
  }
  SECTION("not where bytes are gone") {
    CHECK_FALSE(stream.line_offset(50));
    CHECK_FALSE(stream.line_at(stream.begin() - 1));
  }
  SECTION("in the ring") {
    CHECK(stream.line_offset(99) == stream.end() - 8);
    CHECK(stream.line_at(stream.end() - 1) == 99U);
    CHECK(stream.line_at(stream.end()) == 100U);
  }
  SECTION("not beyond the end") {
    CHECK_FALSE(stream.line_offset(100));
    CHECK_FALSE(stream.line_at(stream.end() + 1));
  }
}

TEST_CASE("an empty stream has no lines and nothing to read") {
  const Stream stream;
  CHECK(stream.line_count() == 0);
  CHECK(stream.tail(5, kAll).count == 0);
  CHECK(stream.read(0, kAll).bytes.empty());
  CHECK_FALSE(stream.line_offset(0));
  Offset first = 7;
  CHECK(stream.views(0, &first).empty());
  CHECK(first == 0);
}

TEST_CASE("views show the kept bytes without copying") {
  Stream stream(10, 4);
  stream.append("0123456789abcdefgh");
  Offset first = 0;
  std::string all;
  for (const std::string_view part : stream.views(0, &first)) all += part;
  CHECK(first == 0);
  CHECK(all == "012389abcdefgh");

  all.clear();
  for (const std::string_view part : stream.views(6, &first)) all += part;
  CHECK(first == 8);
  CHECK(all == "89abcdefgh");
}

TEST_CASE("a stream can be moved") {
  Stream stream(kSmallRing);
  stream.append("moved\n");
  Stream other = std::move(stream);
  CHECK(other.read(0, kAll).bytes == "moved\n");
}
