// Two streams read as one text, in the order in which their lines came.
#include "runtime/output/arrival_order.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

#include "runtime/output/merged_text.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

constexpr std::size_t kAll = std::size_t{1} << 20;

// Two streams, and the order in which they are written.
struct Output {
  explicit Output(std::size_t ring = kDefaultRingBytes, std::size_t head = kDefaultHeadBytes)
      : out(ring, head), err(ring, head) {}

  void print(std::size_t index, std::string_view bytes) {
    Stream& stream = index == 0 ? out : err;
    const Offset from = stream.end();
    stream.append(bytes);
    order.note(index, stream, from);
  }

  ArrivalOrder::Streams streams() const { return {&out, &err}; }

  std::string read(Offset from = 0, std::size_t max = kAll) {
    return read_merged(order, streams(), from, max).slice.bytes;
  }

  // With the lines that are not complete.
  std::string read_all() {
    order.place_rest(streams());
    return read();
  }

  Stream out;
  Stream err;
  ArrivalOrder order;
};

TEST_CASE("lines of both streams are read in the order in which they came") {
  Output output;
  output.print(0, "building\n");
  output.print(1, "warning: old\n");
  output.print(0, "built\ntested\n");
  CHECK(output.read() == "building\nwarning: old\nbuilt\ntested\n");
  CHECK(output.read(9, 7) == "warning");
}

TEST_CASE("what comes after a place in each stream is told as stretches") {
  const auto told = [](const Output& output, const ArrivalOrder::Offsets& after) {
    std::string text;
    for (const auto& [stream, to] : output.order.stretches(after)) {
      text += (stream == 0 ? "out " : "err ") + std::to_string(to) + " ";
    }
    return text;
  };
  Output output;
  CHECK(told(output, {0, 0}).empty());
  output.print(0, "one\n");
  output.print(1, "two\n");
  output.print(0, "three\nnot complete");
  CHECK(told(output, {0, 0}) == "out 4 err 4 out 10 ");
  CHECK(told(output, {2, 0}) == "out 4 err 4 out 10 ");
  CHECK(told(output, {4, 4}) == "out 10 ");
  CHECK(told(output, {10, 0}) == "err 4 ");
  CHECK(told(output, {14, 4}).empty());
}

TEST_CASE("no line is cut by one of the other stream") {
  Output output;
  output.print(0, "one, tw");
  output.print(1, "error\n");
  output.print(0, "o\nthree");
  CHECK(output.read() == "error\none, two\n");
  CHECK(output.read_all() == "error\none, two\nthree");
}

TEST_CASE("a line that was read before its end stays where it was") {
  Output output;
  output.print(0, "name? ");
  CHECK(output.read_all() == "name? ");
  output.print(1, "wrong\n");
  output.print(0, "name? ");
  CHECK(output.read_all() == "name? \nwrong\nname? ");
  // The added newline belongs to what comes after it.
  CHECK(output.read(0, 6) == "name? ");
  CHECK(output.read(6, 4) == "\nwro");
  CHECK(output.read(7, 3) == "wro");
}

TEST_CASE("of two lines without an end, the one that began first comes first") {
  Output output;
  output.print(1, "b");
  output.print(0, "a");
  CHECK(output.read_all() == "b\na");
}

TEST_CASE("a line that does not end takes its place once it is very long") {
  Output output;
  output.print(0, std::string(70'000, 'x'));
  output.print(1, "late\n");
  CHECK(output.read().substr(70'000) == "\nlate\n");
}

TEST_CASE("a character whose end has not come is not cut") {
  Output output;
  output.print(0, "caf\xC3");
  CHECK(output.read_all() == "caf");
  output.print(1, "!\n");
  output.print(0, "\xA9\n");
  CHECK(output.read() == "caf\n!\n\xC3\xA9\n");
}

// Returns the texts as one.
std::string joined(std::initializer_list<std::string_view> texts) {
  std::string all;
  for (const std::string_view text : texts) all.append(text);
  return all;
}

const std::string kHead(10, 'x');
const std::string kLast(99, 'y');

// stdout keeps its first 10 bytes and its last 100; stderr printed before, between and after.
struct Flooded : Output {
  Flooded() : Output(100, 10) {
    print(1, "early\n");
    print(0, std::string(150, 'x'));
    print(0, "\n");
    print(1, "between\n");
    print(0, std::string(150, 'y'));
    print(0, "\n");
    print(1, "late\n");
  }
};

TEST_CASE("what a stream no longer keeps is named, and what the other printed meanwhile is there") {
  const Flooded output;
  const MergedSlice read = read_merged(output.order, output.streams(), 0, kAll);
  CHECK(read.slice.bytes ==
        joined({"early\n", kHead,
                "\n[141 bytes of stdout not kept]\nbetween\n[51 bytes of stdout not kept]\n", kLast,
                "\nlate\n"}));
  CHECK_FALSE(read.slice.gap);
  REQUIRE(read.gaps.size() == 2);
  CHECK(read.gaps[0].from == 16);
  CHECK(read.gaps[0].to == 157);
  CHECK(read.gaps[1].from == 165);
  CHECK(read.gaps[1].to == 216);
  CHECK(output.order.begin(output.streams()) == 216);
}

TEST_CASE("a read that begins at missing bytes tells of them as a gap") {
  const Flooded output;
  const MergedSlice read = read_merged(output.order, output.streams(), 20, 8);
  CHECK(read.slice.bytes == "between\n");
  REQUIRE(read.slice.gap);
  CHECK(read.slice.gap->from == 20);
  CHECK(read.slice.gap->to == 157);
  CHECK(read.slice.to == 165);
  CHECK(read.gaps.empty());
}

TEST_CASE("pages of any size have all bytes that are kept, in order, and nothing twice") {
  const Flooded output;
  for (std::size_t size = 1; size < 250; ++size) {
    std::string seen;
    Offset at = 0;
    std::size_t gaps = 0;
    while (at < output.order.end()) {
      const MergedSlice page = read_merged(output.order, output.streams(), at, size);
      REQUIRE(page.slice.to > at);
      CHECK(page.slice.bytes.size() <= size);
      gaps += page.gaps.size() + (page.slice.gap ? 1 : 0);
      for (std::size_t from = 0; from < page.slice.bytes.size();) {
        const std::size_t end =
            std::min(page.slice.bytes.find('\n', from), page.slice.bytes.size());
        const std::string line = page.slice.bytes.substr(from, end - from);
        if (line.find("not kept]") == std::string::npos) seen += line;
        from = end + 1;
      }
      at = page.slice.to;
    }
    CHECK(gaps == 2);
    CHECK(seen == joined({"early", kHead, "between", kLast, "late"}));
  }
}

TEST_CASE("the last lines name what is missing between them") {
  const Flooded output;
  const MergedLines two = tail_merged(output.order, output.streams(), 2, kAll);
  CHECK(two.lines.bytes == joined({kLast, "\nlate\n"}));
  CHECK(two.lines.from == 216);
  CHECK(two.lines.to == output.order.end());
  CHECK(two.lines.first_line == 3);
  CHECK(two.gaps.empty());
  const MergedLines all = tail_merged(output.order, output.streams(), 50, kAll);
  CHECK(all.lines.bytes == read_merged(output.order, output.streams(), 0, kAll).slice.bytes);
  CHECK(all.lines.first_line == 0);
  CHECK(all.gaps.size() == 2);
  CHECK_FALSE(all.lines.gap);
  const MergedLines few = tail_merged(output.order, output.streams(), 50, 120);
  REQUIRE(few.lines.gap);
  CHECK(few.lines.gap->to == few.lines.from);
}

TEST_CASE("each part knows the number of its first line") {
  const Flooded output;
  const auto parts = output.order.read(output.streams(), 0, kAll);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].line == 0);
  CHECK(parts[1].line == 2);
  CHECK(parts[2].line == 3);
  CHECK(parts[1].lost == ArrivalOrder::Offsets{141, 0});
}

TEST_CASE("bytes that both streams have lost are one hole") {
  Output output(100, 10);
  for (int i = 0; i < 3; ++i) {
    output.print(0, std::string(99, 'x') + "\n");
    output.print(1, std::string(99, 'y') + "\n");
  }
  const std::string x(99, 'x');
  const std::string y(10, 'y');
  CHECK(output.read() == joined({kHead, "\n[90 bytes of stdout not kept]\n", y,
                                 "\n[290 bytes not kept]\n", x, "\n", kLast, "\n"}));
}

TEST_CASE("only the newest changes between the streams are known") {
  Output output;
  for (std::size_t i = 0; i < kMaxArrivals + 10; ++i) output.print(i % 2, "ab\n");
  CHECK(output.order.begin(output.streams()) == 30);
  CHECK(output.order.end() == 3 * (kMaxArrivals + 10));
  CHECK(output.read(0, 6) == "ab\nab\n");
}

TEST_CASE("a reader has the same place in the text and in the streams") {
  Output output;
  output.print(0, "one\n");
  output.print(1, "two\n");
  output.print(0, "three\n");
  for (Offset at = 0; at <= output.order.end(); ++at) {
    CHECK(output.order.first_after(output.order.before(at)) == at);
  }
  // It has read all of stdout, and nothing of stderr.
  CHECK(output.order.first_after({10, 0}) == 4);
}

TEST_CASE("readers of forgotten changes go on with the first that is known") {
  Output output;
  for (std::size_t i = 0; i < kMaxArrivals + 10; ++i) output.print(i % 2, "ab\n");
  CHECK(output.order.first_after({3, 3}) == 6);
  CHECK(output.order.first_after({0, 0}) == 0);
}

// Lower case letters come from stdout, upper case ones from stderr.
TEST_CASE("a reader sees every byte once and in order, however it came") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Output output;
    std::string printed[2];
    std::string seen[2];
    Offset at = 0;
    for (int step = 0; step < 100; ++step) {
      const std::size_t index = random() % 2;
      std::string bytes;
      for (std::size_t size = random() % 5; size > 0; --size) {
        const bool ends = random() % 3 == 0;
        bytes += static_cast<char>((index == 0 ? 'a' : 'A') + random() % 26);
        if (ends) bytes += '\n';
      }
      printed[index] += bytes;
      output.print(index, bytes);
      if (random() % 4 != 0) continue;
      if (random() % 2 == 0) output.order.place_rest(output.streams());
      const std::string read = output.read(at, random() % 8);
      at += read.size();
      for (const char byte : read) {
        if (byte != '\n') seen[byte < 'a' ? 1 : 0] += byte;
      }
    }
    output.order.place_rest(output.streams());
    for (const char byte : output.read(at)) {
      if (byte != '\n') seen[byte < 'a' ? 1 : 0] += byte;
    }
    for (std::size_t index = 0; index < 2; ++index) {
      std::erase(printed[index], '\n');
      CHECK(seen[index] == printed[index]);
    }
  }
}

}  // namespace
}  // namespace gibbous
