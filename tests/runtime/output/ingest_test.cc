// The resources that readers share: turns, the quota of frame loops, and the tick that coalesces
// small writes.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/output/reader.h"
#include "tests/runtime/output/pipes.h"
#include "tests/support/catch.h"

using gibbous::Ingest;
using gibbous::Reader;
using gibbous::Stream;
using gibbous::testing::Flood;
using gibbous::testing::House;
using gibbous::testing::kAll;
using gibbous::testing::Listener;
using gibbous::testing::Loop;
using gibbous::testing::Pipe;
using gibbous::testing::write_all;

TEST_CASE("a slow stream is served next to flooding ones") {
  House house;
  constexpr std::size_t kFloods = 3;
  constexpr std::size_t kFloodWrite = 64 << 10;
  std::array<Stream, kFloods> streams;
  std::array<Listener, kFloods> listeners;
  std::vector<Reader*> readers;
  std::vector<std::unique_ptr<Flood>> floods;
  for (std::size_t i = 0; i < kFloods; ++i) {
    Pipe pipe;
    readers.push_back(house.ingest().read(std::move(pipe.in), streams[i], listeners[i]));
    floods.push_back(std::make_unique<Flood>(std::move(pipe.out), kFloodWrite));
  }
  Pipe slow;
  Stream stream;
  Listener listener;
  house.ingest().read(std::move(slow.in), stream, listener);
  // Each line arrives before the floods together have had much more than a turn.
  constexpr std::size_t kTurns = 4 << 20;
  for (std::size_t line = 1; line <= 50; ++line) {
    std::size_t before = 0;
    for (const Listener& flood : listeners) before += flood.bytes;
    write_all(slow.out.get(), "line\n");
    REQUIRE(house.loop().until([&] { return listener.bytes == 5 * line; }));
    std::size_t after = 0;
    for (const Listener& flood : listeners) after += flood.bytes;
    CHECK(after - before <= kTurns);
  }
  for (Reader* reader : readers) reader->close();
  floods.clear();
}

TEST_CASE("a quota limits how much is read, and the next one continues") {
  House house;
  Pipe pipe;
  Stream stream;
  Listener listener;
  house.ingest().read(std::move(pipe.in), stream, listener);
  const std::string text(60000, 'q');
  write_all(pipe.out.get(), text);
  pipe.out.reset();

  constexpr std::size_t kQuota = 7000;
  std::size_t total = 0;
  int frames = 0;
  while (!listener.ended && ++frames < 100) {
    house.ingest().set_quota(kQuota, gibbous::kNoTurnEnd);
    CHECK(house.ingest().taken() == 0);
    // For the rest of the frame, no more comes than the quota.
    for (int i = 0; i < 20; ++i) house.poll_once();
    CHECK(house.ingest().taken() <= kQuota);
    total += house.ingest().taken();
    CHECK(listener.bytes == total);
    if (!listener.ended && total < text.size()) CHECK(house.ingest().has_more());
  }
  CHECK(listener.ended);
  CHECK(total == text.size());
  CHECK_FALSE(house.ingest().has_more());
}

TEST_CASE("without a quota nothing is delayed") {
  House house;
  Pipe pipe;
  Stream stream;
  Listener listener;
  house.ingest().read(std::move(pipe.in), stream, listener);
  write_all(pipe.out.get(), std::string(60000, 'q'));
  house.ingest().set_quota(1000, gibbous::kNoTurnEnd);
  for (int i = 0; i < 5; ++i) house.poll_once();
  CHECK(stream.end() == 1000);
  house.ingest().set_quota(0, gibbous::kNoTurnEnd);
  CHECK(house.loop().until([&] { return stream.end() == 60000; }));
}

TEST_CASE("when a turn's time is over, only one read is made, and the next turn continues") {
  House house;
  std::array<Pipe, 3> pipes;
  std::array<Stream, 3> streams;
  std::array<Listener, 3> listeners;
  constexpr std::size_t kBytes = 1000;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    house.ingest().read(std::move(pipes[i].in), streams[i], listeners[i]);
    write_all(pipes[i].out.get(), std::string(kBytes, 'q'));
  }
  for (std::size_t turn = 1; turn <= pipes.size(); ++turn) {
    house.ingest().set_quota(0, std::chrono::nanoseconds{1});
    for (int i = 0; i < 5; ++i) house.poll_once();
    CHECK(house.ingest().taken() == kBytes);
    CHECK(house.ingest().has_more() == (turn < pipes.size()));
  }
  for (const Listener& listener : listeners) CHECK(listener.bytes == kBytes);
}

TEST_CASE("a quota too small for all streams serves them in turn") {
  House house;
  constexpr std::size_t kReaders = 8;
  constexpr std::size_t kQuota = 48 << 10;
  std::array<Pipe, kReaders> pipes;
  std::array<Stream, kReaders> streams;
  std::array<Listener, kReaders> listeners;
  for (std::size_t i = 0; i < kReaders; ++i) {
    house.ingest().read(std::move(pipes[i].in), streams[i], listeners[i]);
    REQUIRE(::fcntl(pipes[i].out.get(), F_SETFL, O_NONBLOCK) == 0);
  }
  const std::string chunk(64 << 10, 'r');
  constexpr int kFrames = 60;
  for (int frame = 0; frame < kFrames; ++frame) {
    // All pipes are full at each frame.
    for (const Pipe& pipe : pipes) {
      while (::write(pipe.out.get(), chunk.data(), 4096) > 0) {
      }
    }
    house.ingest().set_quota(kQuota, gibbous::kNoTurnEnd);
    house.poll_once();
    CHECK(house.ingest().taken() <= kQuota);
  }
  std::size_t least = kAll;
  std::size_t most = 0;
  for (const Listener& listener : listeners) {
    least = std::min(least, listener.bytes);
    most = std::max(most, listener.bytes);
  }
  INFO("least " << least << ", most " << most);
  CHECK(least * 2 >= most);
}

TEST_CASE("many small writes are coalesced") {
  House house;
  Pipe pipe;
  Stream stream;
  Listener listener;
  constexpr std::size_t kWriteBytes = 100;
  constexpr std::size_t kWrites = 200000;
  house.ingest().read(std::move(pipe.in), stream, listener);
  std::thread writer([out = std::move(pipe.out)] {
    const std::string line(kWriteBytes, 'x');
    for (std::size_t i = 0; i < kWrites; ++i) write_all(out.get(), line);
  });
  const bool ended = house.loop().until([&] { return listener.ended; });
  writer.join();
  REQUIRE(ended);
  CHECK(listener.bytes == kWriteBytes * kWrites);
  CHECK(listener.reads < kWrites / 10);
}

TEST_CASE(
    "small writes are coalesced by the loop's own timer when there is no descriptor for another") {
  Loop loop;
  Pipe pipe;
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  std::unique_ptr<Ingest> ingest = Ingest::create(loop.get());
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  Stream stream;
  Listener listener;
  ingest->read(std::move(pipe.in), stream, listener);
  constexpr std::size_t kWrites = 50000;
  std::thread writer([out = std::move(pipe.out)] {
    for (std::size_t i = 0; i < kWrites; ++i) write_all(out.get(), "a short line\n");
  });
  const bool ended = loop.until([&] { return listener.ended; });
  writer.join();
  bool closed = false;
  ingest->close([&closed] { closed = true; });
  CHECK(loop.until([&closed] { return closed; }));
  REQUIRE(ended);
  CHECK(stream.line_count() == kWrites);
}

TEST_CASE("a line after a quiet time comes at once, even after ticks") {
  House house;
  Pipe pipe;
  Stream stream;
  Listener listener;
  house.ingest().read(std::move(pipe.in), stream, listener);
  std::thread writer([&] {
    for (int i = 0; i < 50000; ++i) write_all(pipe.out.get(), std::string(100, 'x'));
  });
  const bool all = house.loop().until([&] { return listener.bytes == 5000000; });
  writer.join();
  REQUIRE(all);
  // Ticks that bring nothing end: after them one turn of the loop is enough, and no timer keeps it
  // turning.
  constexpr std::chrono::milliseconds kTicksEnd{20};
  house.loop().run_for(kTicksEnd);
  write_all(pipe.out.get(), "line\n");
  house.poll_once();
  CHECK(listener.bytes == 5000005);
}
