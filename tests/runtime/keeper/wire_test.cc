// The wire format: messages survive encoding and decoding, and malformed ones are refused. Runs the
// fuzzer's entry (tests/fuzz/wire_fuzz.cc) over mutations of good messages.
#include <cstring>
#include <random>

#include "runtime/keeper/wire.h"
#include "tests/fuzz/wire_fuzz.cc"  // libFuzzer's entry, run by Catch2 here
#include "tests/support/catch.h"

namespace gibbous::testing {
namespace {

constexpr RunKey kRun = 0x1122334455667788;

StartRequest some_request() {
  StartRequest request;
  request.argv = {"prog", "", "two words"};
  request.env = {"A=1", "B="};
  request.cwd = "/some/where";
  request.in = StdioKind::kPipe;
  request.err = StdioKind::kStdout;
  request.limits = {{RLIMIT_CPU, 1, 2}, {RLIMIT_CORE, 0, RLIM_INFINITY}};
  request.tree_limits = {1U << 26, std::chrono::seconds(2), 500, 20};
  SandboxSpec sandbox;
  sandbox.profile = "workspace";
  sandbox.network = SandboxNetwork::kOff;
  sandbox.read = {"/"};
  sandbox.write = {"/work space", "/tmp"};
  sandbox.unwritable = {"/work space/.git/hooks"};
  sandbox.min_landlock_abi = 3;
  sandbox.copied = true;
  request.sandbox = std::move(sandbox);
  request.terminal = TerminalSize{30, 100};
  request.keep = true;
  request.keep_directory = "/state";
  request.notes = "notes";
  request.end_place = {"/state/keepers", "run1"};
  return request;
}

wire::StartedMessage some_started() {
  wire::StartedMessage started;
  started.pid = 77;
  started.start_time = 12345;
  started.in = started.out = true;
  started.in_force.memory = LimitMeans::kCgroup1;
  started.sandbox.landlock_abi = 7;
  started.sandbox.unprotected = {"this", "that"};
  started.sandbox.copies = "read only";
  return started;
}

wire::UsageIs some_usage(std::size_t ports) {
  wire::UsageIs is;
  is.number = 5;
  is.known = true;
  is.usage.processes = 3;
  is.usage.cpu = std::chrono::seconds(1);
  const std::string longest = "2001:0db8:85a3:0000:0000:8a2e:100.100.100.100";
  for (std::size_t i = 0; i < ports; ++i) {
    is.usage.ports.push_back({static_cast<std::uint16_t>(i), 9, false, longest});
  }
  return is;
}

std::vector<wire::Buffer> good_messages() {
  std::vector<wire::Buffer> all;
  const auto add = [&all](auto encode) { encode(all.emplace_back()); };
  add([](wire::Buffer& out) { wire::encode(out, 0, wire::Hello{42}); });
  add([](wire::Buffer& out) { wire::encode_start(out, kRun, some_request(), true); });
  add([](wire::Buffer& out) { wire::encode_start(out, kRun, some_request(), false); });
  add([](wire::Buffer& out) { wire::encode(out, kRun, wire::Signal{15}); });
  add([](wire::Buffer& out) { wire::encode(out, kRun, wire::Kill{15, Millis(5000)}); });
  add([](wire::Buffer& out) { wire::encode(out, kRun, wire::Forget{}); });
  add([](wire::Buffer& out) { wire::encode(out, 0, wire::Shutdown{Millis(3000)}); });
  add([](wire::Buffer& out) { wire::encode(out, kRun, some_started()); });
  add([](wire::Buffer& out) {
    wire::encode(out, kRun, StartFailure{StartStep::kChdir, 2, "why"});
  });
  add([](wire::Buffer& out) {
    ExitStatus status;
    status.signal = 9;
    status.core = true;
    status.user = std::chrono::microseconds(123456);
    wire::encode(out, kRun, status);
  });
  add([](wire::Buffer& out) { wire::encode(out, kRun, wire::Left{3}); });
  add([](wire::Buffer& out) {
    wire::encode(out, kRun, KillReport{KillReport::How::kSurvivors, 4, {10, 11, 12}});
  });
  add([](wire::Buffer& out) { wire::encode(out, kRun, wire::Usage{5}); });
  add([](wire::Buffer& out) { wire::encode(out, kRun, some_usage(2)); });
  add([](wire::Buffer& out) {
    wire::encode(out, kRun, LimitReached{LimitKind::kMemory, 100, 120});
  });
  add([](wire::Buffer& out) {
    wire::encode(
        out, kRun,
        wire::DetachedMessage{
            some_started(), {true, true, false, true, false}, {"", 2, 1}, {"", 4, 3}, "notes"});
  });
  add([](wire::Buffer& out) { wire::encode(out, 0, wire::DetachedAll{}); });
  add([](wire::Buffer& out) { wire::encode(out, kRun, wire::RecordedMessage{7, 8, true}); });
  return all;
}

TEST_CASE("a header tells version, type, length and run") {
  for (const wire::Buffer& message : good_messages()) {
    const auto header = wire::decode_header(message);
    REQUIRE(header.ok());
    CHECK(header->version == wire::kVersion);
    CHECK(header->length == message.size());
    CHECK((header->run == kRun || header->run == 0));
    CHECK_FALSE(wire::decode_header(std::span(message).first(message.size() - 1)).ok());
    CHECK_FALSE(wire::decode_header(std::span(message).first(wire::kHeaderBytes - 1)).ok());
  }
}

TEST_CASE("every message survives encoding and decoding") {
  wire::Buffer out;
  SECTION("start") {
    wire::encode_start(out, kRun, some_request(), true);
    const auto start = wire::decode_start(wire::body_of(out));
    REQUIRE(start.ok());
    CHECK(start->in == StdioKind::kPipe);
    CHECK(start->out == StdioKind::kPipe);
    CHECK(start->err == StdioKind::kStdout);
    REQUIRE(start->terminal);
    CHECK(*start->terminal == TerminalSize{30, 100});
    REQUIRE(start->limits.size() == 2);
    CHECK(start->limits[1].hard == RLIM_INFINITY);
    const auto strings = wire::split_strings(*start, start->strings);
    REQUIRE(strings.ok());
    CHECK(std::string(strings->cwd) == "/some/where");
    CHECK(std::string(strings->argv[2]) == "two words");
    CHECK(std::string(strings->env[1]) == "B=");
    CHECK(strings->argv[3] == nullptr);
    CHECK(strings->env[2] == nullptr);
    CHECK(start->tree_limits.pids == 20);
    REQUIRE(strings->sandbox);
    CHECK(strings->sandbox->profile == "workspace");
    CHECK(strings->sandbox->network == SandboxNetwork::kOff);
    CHECK(strings->sandbox->write == std::vector<std::string>{"/work space", "/tmp"});
    CHECK(strings->sandbox->unreadable.empty());
    CHECK(strings->sandbox->unwritable.size() == 1);
    CHECK(strings->sandbox->copied);
    CHECK(std::string(strings->keep_directory) == "/state");
    CHECK(std::string(strings->notes) == "notes");
    REQUIRE(strings->end_place);
    CHECK(strings->end_place->directory == "/state/keepers");
    CHECK(strings->end_place->run_id == "run1");
  }
  SECTION("the largest replies fit, and what does not is left out") {
    wire::StartedMessage started = some_started();
    started.sandbox.unprotected.assign(100, std::string(100, 's'));
    wire::encode(out, kRun, started);
    CHECK(out.size() <= wire::kMaxReplyBytes);
    auto decoded = wire::decode<wire::StartedMessage>(wire::body_of(out));
    REQUIRE(decoded.ok());
    CHECK(decoded->sandbox.unprotected.size() < 100);
    CHECK(decoded->sandbox.copies == "read only");
    wire::encode(out, kRun,
                 wire::DetachedMessage{started, {}, {}, {}, std::string(2 * kMaxNotesBytes, 'n')});
    CHECK(out.size() <= wire::kMaxReplyBytes);
    CHECK(wire::decode<wire::DetachedMessage>(wire::body_of(out)).ok());
    wire::encode(out, kRun, some_usage(1000));
    CHECK(out.size() <= wire::kMaxReplyBytes);
    auto usage = wire::decode<wire::UsageIs>(wire::body_of(out));
    REQUIRE(usage.ok());
    CHECK(usage->usage.ports.size() == wire::kMaxReportedPorts);
    wire::encode(out, kRun, StartFailure{StartStep::kSandbox, 1, std::string(5000, 'd')});
    CHECK(out.size() <= wire::kMaxReplyBytes);
    CHECK(wire::decode<StartFailure>(wire::body_of(out))->detail.size() == wire::kMaxDetailBytes);
  }
  SECTION("start with its strings apart") {
    wire::encode_start(out, kRun, some_request(), false);
    const auto start = wire::decode_start(wire::body_of(out));
    REQUIRE(start.ok());
    wire::Buffer strings;
    wire::append_strings(strings, some_request());
    CHECK(wire::split_strings(*start, strings).ok());
    strings.push_back('x');
    CHECK_FALSE(wire::split_strings(*start, strings).ok());
  }
  SECTION("exited") {
    ExitStatus status;
    status.code = 3;
    status.system = std::chrono::microseconds(99);
    status.max_rss_kib = 1024;
    status.thrown_away = "changes were thrown away: 1 file (a)";
    status.refused = "127.0.0.1:5432";
    wire::encode(out, kRun, status);
    const auto decoded = wire::decode<ExitStatus>(wire::body_of(out));
    REQUIRE(decoded.ok());
    CHECK(decoded->code == 3);
    CHECK(decoded->system.count() == 99);
    CHECK(decoded->max_rss_kib == 1024);
    CHECK(decoded->thrown_away == status.thrown_away);
    CHECK(decoded->refused == status.refused);
  }
  SECTION("killed, with more survivors than are reported") {
    KillReport report{KillReport::How::kSurvivors, 1, std::vector<pid_t>(5000, 7)};
    wire::encode(out, kRun, report);
    CHECK(out.size() <= wire::kMaxReplyBytes);
    const auto decoded = wire::decode<KillReport>(wire::body_of(out));
    REQUIRE(decoded.ok());
    CHECK(decoded->survivors.size() == wire::kMaxReportedSurvivors);
  }
}

TEST_CASE("a start that is malformed is refused") {
  wire::Buffer good;
  wire::encode_start(good, kRun, some_request(), true);
  REQUIRE(wire::decode_start(wire::body_of(good)).ok());
  const auto with = [&good](std::size_t offset, std::uint32_t value) {
    wire::Buffer bad = good;
    std::memcpy(bad.data() + wire::kHeaderBytes + offset, &value, sizeof value);
    return bad;
  };
  constexpr std::size_t kArgc = 4;
  constexpr std::size_t kEnvc = 8;
  constexpr std::size_t kStrings = 12;
  constexpr std::size_t kLimits = 20;
  constexpr std::uint32_t kHuge = 0xffffffff;
  for (const auto& bad : {with(kArgc, 0), with(kArgc, kHuge), with(kEnvc, kHuge), with(kStrings, 1),
                          with(kLimits, kHuge), with(kLimits, wire::kMaxLimits), with(0, kHuge)}) {
    CHECK_FALSE(wire::decode_start(wire::body_of(bad)).ok());
  }
  // The counts are within bounds, but not those of the strings.
  for (const auto& bad : {with(kArgc, 1), with(kArgc, 9), with(kEnvc, 0), with(kEnvc, 9)}) {
    const auto start = wire::decode_start(wire::body_of(bad));
    REQUIRE(start.ok());
    CHECK_FALSE(wire::split_strings(*start, start->strings).ok());
  }
  wire::Buffer unended = good;
  unended.back() = 'x';
  const auto start = wire::decode_start(wire::body_of(unended));
  REQUIRE(start.ok());
  CHECK_FALSE(wire::split_strings(*start, start->strings).ok());
}

TEST_CASE("no mutation of a message crashes a decoder or decodes as another") {
  std::minstd_rand random(20240117);  // NOLINT: the same every time, on purpose
  constexpr int kRounds = 20'000;
  const auto messages = good_messages();
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  for (int round = 0; round < kRounds; ++round) {
    wire::Buffer message = messages[below(messages.size())];
    for (std::size_t edits = below(4); edits > 0; --edits) {
      switch (below(4)) {
        case 0:
          message[below(message.size())] = static_cast<std::uint8_t>(random());
          break;
        case 1:
          message[below(message.size())] ^= static_cast<std::uint8_t>(1U << below(8));
          break;
        case 2:
          message.resize(below(message.size()) + 1);
          break;
        case 3:
          message.resize(message.size() + below(40), static_cast<std::uint8_t>(random()));
          break;
      }
    }
    // Half of them get a length that fits, so that they pass the check of the header.
    if (round % 2 == 0 && message.size() >= wire::kHeaderBytes) {
      const auto length = static_cast<std::uint32_t>(message.size());
      std::memcpy(message.data() + 4, &length, sizeof length);
    }
    LLVMFuzzerTestOneInput(message.data(), message.size());
  }
  SUCCEED("nothing aborted");
}

}  // namespace
}  // namespace gibbous::testing
