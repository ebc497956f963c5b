// Two streams read as one text, in the order in which their lines came.
#include "runtime/output/arrival_order.h"

#include <random>
#include <string>

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
    return order.read(streams(), from, max).bytes.read(0, max).bytes;
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

TEST_CASE("what a stream no longer keeps is missing, and all that came before it") {
  Output output(100, 10);
  output.print(1, "early\n");
  output.print(0, std::string(300, 'x'));
  output.print(0, "\n");
  output.print(1, "late\n");
  CHECK(output.order.begin(output.streams()) == 6 + 201);
  std::string kept(99, 'x');
  CHECK(output.read() == kept.append("\nlate\n"));
  const ArrivalOrder::Text text = output.order.read(output.streams(), 3, kAll);
  CHECK(text.from == 207);
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
