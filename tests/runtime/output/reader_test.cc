// Reader over real descriptors: written bytes arrive, ends and errors are reported, and closing is
// safe at any point. Writers are threads, or this thread if a pipe holds all.
#include "runtime/output/reader.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/runtime/output/pipes.h"
#include "tests/support/catch.h"

using gibbous::Ingest;
using gibbous::Reader;
using gibbous::Stream;
using gibbous::UniqueFd;
using gibbous::testing::Flood;
using gibbous::testing::House;
using gibbous::testing::kAll;
using gibbous::testing::Listener;
using gibbous::testing::Loop;
using gibbous::testing::Pipe;
using gibbous::testing::write_all;

TEST_CASE("output arrives, and its end is reported once") {
  House house;
  Pipe pipe;
  Stream stream;
  Listener listener;
  house.ingest().read(std::move(pipe.in), stream, listener);
  write_all(pipe.out.get(), "hello\n");
  REQUIRE(house.loop().until([&] { return stream.end() == 6; }));
  CHECK_FALSE(listener.ended);
  write_all(pipe.out.get(), "bye");
  pipe.out.reset();
  REQUIRE(house.loop().until([&] { return listener.ended; }));
  CHECK(listener.error == 0);
  CHECK(stream.read(0, kAll).bytes == "hello\nbye");
}

TEST_CASE("much output arrives byte for byte") {
  House house;
  Pipe pipe;
  Stream stream(std::size_t{8} << 20, 0);
  Listener listener;
  house.ingest().read(std::move(pipe.in), stream, listener);
  std::string text;
  for (int i = 0; text.size() < (std::size_t{5} << 20); ++i) text += std::to_string(i) + "\n";
  std::thread writer([&, out = std::move(pipe.out)] {
    // In pieces of all sizes, to exercise every way of reading.
    std::string_view rest = text;
    for (std::size_t size = 1; !rest.empty(); size = size * 3 % 70001 + 1) {
      write_all(out.get(), rest.substr(0, size));
      rest.remove_prefix(std::min(size, rest.size()));
    }
  });
  const bool ended = house.loop().until([&] { return listener.ended; });
  writer.join();
  REQUIRE(ended);
  CHECK(stream.read(0, kAll).bytes == text);
}

TEST_CASE("a stream with little output holds little memory") {
  House house;
  Pipe pipe;
  Stream stream;
  Listener listener;
  house.ingest().read(std::move(pipe.in), stream, listener);
  write_all(pipe.out.get(), "ready\n");
  REQUIRE(house.loop().until([&] { return stream.end() == 6; }));
  CHECK(stream.memory() < 5000);
}

TEST_CASE("a descriptor that is not a pipe is read like one") {
  House house;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0);
  REQUIRE(::fcntl(ends[1], F_SETFL, 0) == 0);
  Stream stream;
  Listener listener;
  house.ingest().read(UniqueFd(ends[0]), stream, listener);
  constexpr std::size_t kBytes = std::size_t{20} << 20;
  std::thread writer([out = UniqueFd(ends[1])] {
    const std::string chunk(64 << 10, 's');
    for (std::size_t written = 0; written < kBytes; written += chunk.size())
      write_all(out.get(), chunk);
  });
  const bool ended = house.loop().until([&] { return listener.ended; });
  writer.join();
  REQUIRE(ended);
  CHECK(stream.end() == kBytes);
}

TEST_CASE("a reader can be closed in the middle, and nothing comes after it") {
  House house;
  Pipe pipe;
  auto stream = std::make_unique<Stream>();
  auto listener = std::make_unique<Listener>();
  Reader* reader = house.ingest().read(std::move(pipe.in), *stream, *listener);
  Flood flood(std::move(pipe.out), 100);
  REQUIRE(house.loop().until([&] { return listener->reads > 100; }));
  reader->close();
  reader->close();  // closing twice is harmless
  listener.reset();
  stream.reset();
  for (int i = 0; i < 10; ++i) house.poll_once();
}

TEST_CASE("a listener may close anything from its callback") {
  House house;
  std::array<Pipe, 3> pipes;
  std::array<Stream, 3> streams;
  std::array<Listener, 3> listeners;
  std::array<Reader*, 3> readers{};
  for (std::size_t i = 0; i < 3; ++i) {
    readers[i] = house.ingest().read(std::move(pipes[i].in), streams[i], listeners[i]);
  }
  SECTION("itself, on bytes") {
    listeners[0].then = [&] { readers[0]->close(); };
    write_all(pipes[0].out.get(), "x");
    REQUIRE(house.loop().until([&] { return listeners[0].reads == 1; }));
    for (int i = 0; i < 5; ++i) house.poll_once();
    CHECK_FALSE(listeners[0].ended);
  }
  SECTION("itself, at the end") {
    listeners[0].then = [&] { readers[0]->close(); };
    pipes[0].out.reset();
    REQUIRE(house.loop().until([&] { return listeners[0].ended; }));
  }
  SECTION("the others, while they have something too") {
    for (std::size_t i = 0; i < 3; ++i) {
      listeners[i].then = [&, i] {
        for (std::size_t other = 0; other < 3; ++other) {
          if (other != i && readers[other] != nullptr)
            std::exchange(readers[other], nullptr)->close();
        }
      };
      write_all(pipes[i].out.get(), "x");
    }
    const auto reads = [&] { return listeners[0].reads + listeners[1].reads + listeners[2].reads; };
    REQUIRE(house.loop().until([&] { return reads() > 0; }));
    for (int i = 0; i < 5; ++i) house.poll_once();
    CHECK(reads() == 1);
  }
}

TEST_CASE("everything may be closed from a callback, and freed from its own") {
  Loop loop;
  std::unique_ptr<Ingest> ingest = Ingest::create(loop.get());
  Pipe pipe;
  Stream stream;
  Listener listener;
  ingest->read(std::move(pipe.in), stream, listener);
  bool closed = false;
  listener.then = [&] {
    ingest->close([&] {
      ingest.reset();
      closed = true;
    });
  };
  SECTION("on bytes") {
    write_all(pipe.out.get(), "x");
  }
  SECTION("at the end") {
    pipe.out.reset();
  }
  REQUIRE(loop.until([&] { return closed; }));
  CHECK(listener.reads + (listener.ended ? 1U : 0U) == 1);
}

TEST_CASE("closing while readers tick or are held is safe") {
  House house;
  std::array<Stream, 2> streams;
  std::array<Listener, 2> listeners;
  std::array<Pipe, 2> pipes;
  std::array<int, 2> outs = {pipes[0].out.get(), pipes[1].out.get()};
  for (std::size_t i = 0; i < 2; ++i) {
    house.ingest().read(std::move(pipes[i].in), streams[i], listeners[i]);
  }
  SECTION("ticking") {
    Flood flood(std::move(pipes[0].out), 50);
    REQUIRE(house.loop().until([&] { return listeners[0].bytes > 1000000; }));
    house.close();
  }
  SECTION("held") {
    house.ingest().set_quota(1, gibbous::kNoTurnEnd);
    for (const int out : outs) write_all(out, "some bytes");
    for (int i = 0; i < 5; ++i) house.poll_once();
    CHECK(house.ingest().has_more());
    house.close();
  }
}

TEST_CASE("a terminal whose other side has gone has ended") {
  House house;
  int leader = -1;
  int follower = -1;
  REQUIRE(::openpty(&leader, &follower, nullptr, nullptr, nullptr) == 0);
  REQUIRE(::fcntl(leader, F_SETFL, O_NONBLOCK) == 0);
  Stream stream;
  Listener listener;
  house.ingest().read(UniqueFd(leader), stream, listener);
  write_all(follower, "from a terminal\n");
  ::close(follower);
  REQUIRE(house.loop().until([&] { return listener.ended; }));
  CHECK(listener.error == 0);
  CHECK(stream.read(0, kAll).bytes == "from a terminal\r\n");
}

TEST_CASE("a descriptor that cannot be polled is still read") {
  House house;
  const gibbous::testing::TempDir directory;
  const std::string text(300000, 't');
  const std::string path = directory.write("file", text);
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  Stream stream;
  Listener listener;
  house.ingest().read(std::move(fd), stream, listener);
  REQUIRE(house.loop().until([&] { return listener.ended; }));
  CHECK(stream.read(0, kAll).bytes == text);
}

TEST_CASE("a read error is reported as the end") {
  House house;
  Stream stream;
  Listener listener;
  UniqueFd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  house.ingest().read(std::move(directory), stream, listener);
  REQUIRE(house.loop().until([&] { return listener.ended; }));
  CHECK(listener.error == EISDIR);
}

TEST_CASE("a reader alone does not keep the loop alive") {
  uv_loop_t loop;
  REQUIRE(uv_loop_init(&loop) == 0);
  auto ingest = Ingest::create(&loop);
  // No reader: no handle keeps the loop of a host alive.
  CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  Pipe pipe;
  Stream stream;
  Listener listener;
  ingest->read(std::move(pipe.in), stream, listener);
  CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);  // returns, although the pipe is open
  CHECK(!listener.ended);
  ingest->close(nullptr);
  uv_run(&loop, UV_RUN_DEFAULT);
  ingest.reset();
  CHECK(uv_loop_close(&loop) == 0);
}

TEST_CASE("a held reader reads nothing until it is released") {
  House house;
  Pipe pipe;
  Stream stream;
  Listener listener;
  Reader* reader = house.ingest().read(std::move(pipe.in), stream, listener);
  write_all(pipe.out.get(), "first\n");
  REQUIRE(house.loop().until([&] { return stream.end() == 6; }));
  reader->hold(true);
  write_all(pipe.out.get(), "second\n");
  house.loop().run_for(std::chrono::milliseconds{20});
  CHECK(stream.end() == 6);
  reader->hold(false);
  REQUIRE(house.loop().until([&] { return stream.end() == 13; }));
  reader->hold(true);
  pipe.out.reset();
  house.loop().run_for(std::chrono::milliseconds{20});
  CHECK_FALSE(listener.ended);
  reader->hold(false);
  REQUIRE(house.loop().until([&] { return listener.ended; }));
}
