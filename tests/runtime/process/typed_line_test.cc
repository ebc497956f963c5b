#include "runtime/process/typed_line.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <utility>

#include "runtime/process/terminal.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

struct Ends {
  Ends() : ends(open_terminal({})) {
    REQUIRE(ends.slave);
    set([](termios& settings) { settings.c_lflag &= ~static_cast<tcflag_t>(ECHO); });
  }
  void set(const std::function<void(termios&)>& change) {
    termios settings{};
    REQUIRE(::tcgetattr(ends.slave.get(), &settings) == 0);
    change(settings);
    REQUIRE(::tcsetattr(ends.slave.get(), TCSANOW, &settings) == 0);
  }
  std::size_t type(const std::string& bytes) {
    const std::size_t cut = line.type(ends.master.get(), bytes);
    for (std::size_t at = 0; cut == 0 && at < bytes.size();) {
      const ssize_t count = ::write(ends.master.get(), bytes.data() + at, bytes.size() - at);
      if (count > 0) {
        at += static_cast<std::size_t>(count);
      } else {
        take(kPatience);
      }
    }
    return cut;
  }
  // Reads what the programs of the terminal get, until that ends with `end`.
  std::string read(const std::string& end) {
    while (!got.ends_with(end) && take(kPatience)) {
    }
    return std::exchange(got, "");
  }

  static constexpr int kPatience = 10'000;  // ms; passing tests never reach it
  // Returns false when there is nothing to read for so long.
  bool take(int patience) {
    std::array<char, 8192> bytes;
    pollfd waits{ends.slave.get(), POLLIN, 0};
    if (::poll(&waits, 1, patience) != 1) return false;
    const ssize_t count = ::read(ends.slave.get(), bytes.data(), bytes.size());
    if (count > 0) got.append(bytes.data(), static_cast<std::size_t>(count));
    return count >= 0;
  }

  std::string got;
  TerminalEnds ends;
  TypedLine line;
};

std::string filled(std::size_t bytes) {
  return std::string(bytes, 'a');
}

TEST_CASE("a line of 4,095 bytes reaches the program, and a longer one is refused") {
  Ends ends;
  CHECK(ends.type(filled(4095) + "\n") == 0);
  CHECK(ends.read("\n") == filled(4095) + "\n");
  CHECK(ends.type(filled(4096) + "\n") == 4096);
  CHECK(ends.type("x\n" + filled(5000) + "y\nz\n") == 5001);
  // Also in pieces.
  CHECK(ends.type(filled(4000)) == 0);
  CHECK(ends.type(filled(96) + "\n") == 4096);
  CHECK(ends.type(filled(95)) == 0);
  CHECK(ends.type("b") == 4096);
  CHECK(ends.type("\n") == 0);
  CHECK(ends.read("\n") == filled(4095) + "\n");
}

TEST_CASE("what ends a line or throws it away leaves room for another") {
  for (const char* end : {"\n", "\r", "\x04", "\x15", "\x03", "\x1a", "\x1c"}) {
    Ends ends;
    CHECK(ends.type(filled(4000) + end + filled(4000) + "Z\n") == 0);
    CHECK(ends.read("Z\n").ends_with("Z\n"));
  }
  Ends quoted;
  CHECK(quoted.type(filled(4000) + "\x16") == 0);
  CHECK(quoted.type("\n" + filled(200)) == 4202);
  Ends erased;
  CHECK(erased.type(filled(4000) + std::string(100, '\x7f') + filled(190) + "Z\n") == 0);
  CHECK(erased.read("\n") == filled(4090) + "Z\n");
}

TEST_CASE("a program that reads single keys takes a line of any length") {
  Ends ends;
  ends.set([](termios& settings) { ::cfmakeraw(&settings); });
  CHECK(ends.line.type(ends.ends.master.get(), filled(100'000) + "\n") == 0);
  // What was typed then is no part of a later line.
  ends.set([](termios& settings) { settings.c_lflag |= ICANON; });
  CHECK(ends.line.type(ends.ends.master.get(), filled(4095)) == 0);
  CHECK(ends.line.type(ends.ends.master.get(), "x") == 4096);
}

TEST_CASE("no accepted line is cut, whatever the terminal is set to") {
  constexpr int kLines = 400;
  std::mt19937 random(42);
  const auto below = [&random](std::size_t most) { return random() % most; };
  for (int round = 0; round < kLines; ++round) {
    Ends ends;
    ends.set([&](termios& settings) {
      for (const tcflag_t flag : {ICRNL, IGNCR, PARMRK, ISTRIP, IXON, IUTF8}) {
        if (below(3) == 0) settings.c_iflag ^= flag;
      }
      for (const tcflag_t flag : {ISIG, NOFLSH, IEXTEN}) {
        if (below(3) == 0) settings.c_lflag ^= flag;
      }
      if (below(4) == 0) settings.c_cc[VEOL] = 'e';
    });
    const std::string keys = "abe\r\n\x03\x04\x15\x16\x17\x12\x7f\xff\xc3\xa4";
    for (std::size_t writes = 1 + below(6); writes > 0; --writes) {
      std::string bytes = below(2) == 0 ? filled(below(4200)) : "";
      for (std::size_t pieces = 1 + below(4); pieces > 0; --pieces) {
        bytes += std::string(1 + below(3), keys[below(keys.size())]);
        if (below(3) == 0) bytes += filled(below(4200));
      }
      (void)ends.type(bytes);
      while (ends.take(/*patience=*/0)) {
      }
    }
    INFO("round " << round);
    if (ends.type("bZ\n") == 0) CHECK(ends.read("Z\n").ends_with("Z\n"));
  }
}

}  // namespace
}  // namespace gibbous
