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
template <typename Message>
void check(gibbous::RunKey run, Bytes message) {
  const auto decoded = wire::decode<Message>(wire::body_of(message));
  if (!decoded) return;
  Buffer again;
  wire::encode(again, run, *decoded);
  require_same(message, again);
}

void check_message(Bytes message) {
  const auto header = wire::decode_header(message);
  if (!header || header->version != wire::kVersion) return;
  const gibbous::RunKey run = header->run;
  switch (header->type) {
    case Type::kCleanup:
      (void)wire::decode_start(wire::body_of(message));
      return;
    case Type::kStart:
      check_start(run, message, wire::body_of(message));
      return;
    case Type::kHello:
      check<wire::Hello>(run, message);
      return;
    case Type::kShutdown:
      check<wire::Shutdown>(run, message);
      return;
    case Type::kForget:
      check<wire::Forget>(run, message);
      return;
    case Type::kCleanupDone:
      check<wire::CleanupDone>(run, message);
      return;
    case Type::kRecorded:
      check<wire::RecordedMessage>(run, message);
      return;
    case Type::kSignal:
      check<wire::Signal>(run, message);
      return;
    case Type::kKill:
      check<wire::Kill>(run, message);
      return;
    case Type::kStarted:
      check<wire::StartedMessage>(run, message);
      return;
    case Type::kStartFailed:
      check<gibbous::StartFailure>(run, message);
      return;
    case Type::kExited:
      check<gibbous::ExitStatus>(run, message);
      return;
    case Type::kLeft:
      check<wire::Left>(run, message);
      return;
    case Type::kDetached:
      check<wire::DetachedMessage>(run, message);
      return;
    case Type::kDetachedAll:
      check<wire::DetachedAll>(run, message);
      return;
    case Type::kUsage:
      check<wire::Usage>(run, message);
      return;
    case Type::kLimit:
      check<gibbous::LimitReached>(run, message);
      return;
    case Type::kUsageIs:
      check<wire::UsageIs>(run, message);
      return;
    case Type::kKilled:
      check<gibbous::KillReport>(run, message);
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_message(Bytes(data, size));
  return 0;
}
