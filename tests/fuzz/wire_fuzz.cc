// libFuzzer's entry for the keeper's wire format: no bytes may crash a decoder, and what a decoder
// takes must be encoded to the same bytes again. The test of the same name runs it over random
// mutations.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "runtime/keeper/wire.h"

namespace {

using gibbous::wire::Buffer;
using gibbous::wire::Bytes;
using gibbous::wire::Type;
namespace wire = gibbous::wire;

void require(bool condition) {
  if (!condition) std::abort();
}

void require_same(Bytes message, const Buffer& again) {
  require(message.size() == again.size());
  for (std::size_t i = 0; i < again.size(); ++i) require(message[i] == again[i]);
}

gibbous::StartRequest to_request(const wire::Start& start, const wire::StartStrings& strings) {
  gibbous::StartRequest request;
  request.in = start.in;
  request.out = start.out;
  request.err = start.err;
  request.limits = start.limits;
  request.tree_limits = start.tree_limits;
  request.sandbox = strings.sandbox;
  request.terminal = start.terminal;
  request.keep = start.keep;
  if (start.keep) {
    request.keep_directory = strings.keep_directory;
    request.notes = strings.notes;
  }
  request.end_place = strings.end_place;
  request.cwd = strings.cwd;
  for (std::size_t i = 0; i < start.argc; ++i) request.argv.emplace_back(strings.argv[i]);
  for (std::size_t i = 0; i < start.envc; ++i) request.env.emplace_back(strings.env[i]);
  return request;
}

void check_start(gibbous::RunKey run, Bytes message, Bytes body) {
  const auto start = wire::decode_start(body);
  if (!start) return;
  if (!start->inline_strings) {
    // As it would be with a memfd: the rest of the input stands for its content.
    (void)wire::split_strings(*start, body);
    return;
  }
  const auto strings = wire::split_strings(*start, start->strings);
  if (!strings) return;
  require(strings->argv.size() == std::size_t{start->argc} + 1 && strings->argv.back() == nullptr);
  require(strings->env.size() == std::size_t{start->envc} + 1 && strings->env.back() == nullptr);
  Buffer again;
  wire::encode_start(again, run, to_request(*start, *strings), true);
  require_same(message, again);
}

// Decodes, and when it can be decoded, encodes.
template <typename Decode, typename Encode>
void check(Bytes message, Decode decode, Encode encode) {
  const auto decoded = decode(wire::body_of(message));
  if (!decoded) return;
  Buffer again;
  encode(again, *decoded);
  require_same(message, again);
}

void check_message(Bytes message) {
  const auto header = wire::decode_header(message);
  if (!header || header->version != wire::kVersion) return;
  const gibbous::RunKey run = header->run;
  const bool of_a_run = run != 0;
  switch (header->type) {
    case Type::kHello:
      if (!of_a_run) check(message, wire::decode_hello, wire::encode_hello);
      return;
    case Type::kShutdown:
      if (!of_a_run) check(message, wire::decode_shutdown, wire::encode_shutdown);
      return;
    case Type::kForget:
      (void)wire::decode_forget(wire::body_of(message));
      return;
    case Type::kCleanup:
      (void)wire::decode_start(wire::body_of(message));
      return;
    case Type::kCleanupDone:
      check(message, wire::decode_cleanup_done, [run](Buffer& out, wire::CleanupDone value) {
        wire::encode_cleanup_done(out, run, value);
      });
      return;
    case Type::kRecorded:
      check(message, wire::decode_recorded, [run](Buffer& out, const wire::RecordedMessage& value) {
        wire::encode_recorded(out, run, value);
      });
      return;
    case Type::kStart:
      check_start(run, message, wire::body_of(message));
      return;
    case Type::kSignal:
      check(message, wire::decode_signal,
            [run](Buffer& out, wire::Signal value) { wire::encode_signal(out, run, value); });
      return;
    case Type::kKill:
      check(message, wire::decode_kill,
            [run](Buffer& out, wire::Kill value) { wire::encode_kill(out, run, value); });
      return;
    case Type::kStarted:
      check(message, wire::decode_started, [run](Buffer& out, const wire::StartedMessage& value) {
        wire::encode_started(out, run, value);
      });
      return;
    case Type::kStartFailed:
      check(message, wire::decode_start_failed,
            [run](Buffer& out, const gibbous::StartFailure& value) {
              wire::encode_start_failed(out, run, value);
            });
      return;
    case Type::kExited:
      check(message, wire::decode_exited, [run](Buffer& out, const gibbous::ExitStatus& value) {
        wire::encode_exited(out, run, value);
      });
      return;
    case Type::kLeft:
      check(message, wire::decode_left,
            [run](Buffer& out, wire::Left value) { wire::encode_left(out, run, value); });
      return;
    case Type::kDetached:
      check(message, wire::decode_detached, [run](Buffer& out, const wire::DetachedMessage& value) {
        wire::encode_detached(out, run, value);
      });
      return;
    case Type::kDetachedAll:
      (void)wire::decode_kept_all(wire::body_of(message));
      return;
    case Type::kUsage:
      check(message, wire::decode_usage,
            [run](Buffer& out, std::uint32_t number) { wire::encode_usage(out, run, number); });
      return;
    case Type::kLimit:
      check(message, wire::decode_limit, [run](Buffer& out, gibbous::LimitReached value) {
        wire::encode_limit(out, run, value);
      });
      return;
    case Type::kUsageIs:
      check(message, wire::decode_usage_is, [run](Buffer& out, const wire::UsageIs& value) {
        wire::encode_usage_is(out, run, value);
      });
      return;
    case Type::kKilled:
      check(message, wire::decode_killed, [run](Buffer& out, const gibbous::KillReport& value) {
        wire::encode_killed(out, run, value);
      });
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_message(Bytes(data, size));
  return 0;
}
