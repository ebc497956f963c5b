// The messages but for starts (wire.cc), each described once for both directions.
#include <algorithm>
#include <string>

#include "runtime/keeper/wire.h"
#include "runtime/keeper/wire_codec.h"

namespace gibbous::wire {
namespace {

constexpr std::size_t kMaxAddressBytes = 46;  // of IPv6 as text

template <typename Message>
constexpr Type kTypeOf{};
template <>
constexpr Type kTypeOf<Hello> = Type::kHello;
template <>
constexpr Type kTypeOf<Signal> = Type::kSignal;
template <>
constexpr Type kTypeOf<Kill> = Type::kKill;
template <>
constexpr Type kTypeOf<Forget> = Type::kForget;
template <>
constexpr Type kTypeOf<Shutdown> = Type::kShutdown;
template <>
constexpr Type kTypeOf<Usage> = Type::kUsage;
template <>
constexpr Type kTypeOf<CleanupDone> = Type::kCleanupDone;
template <>
constexpr Type kTypeOf<RecordedMessage> = Type::kRecorded;
template <>
constexpr Type kTypeOf<StartedMessage> = Type::kStarted;
template <>
constexpr Type kTypeOf<StartFailure> = Type::kStartFailed;
template <>
constexpr Type kTypeOf<ExitStatus> = Type::kExited;
template <>
constexpr Type kTypeOf<Left> = Type::kLeft;
template <>
constexpr Type kTypeOf<KillReport> = Type::kKilled;
template <>
constexpr Type kTypeOf<LimitReached> = Type::kLimit;
template <>
constexpr Type kTypeOf<UsageIs> = Type::kUsageIs;
template <>
constexpr Type kTypeOf<DetachedMessage> = Type::kDetached;
template <>
constexpr Type kTypeOf<DetachedAll> = Type::kDetachedAll;

template <typename Io>
void describe(Io& io, Hello& hello) {
  io.numbers(hello.keeper);
}

template <typename Io>
void describe(Io& io, Signal& signal) {
  io.numbers(signal.signal_number);
}

template <typename Io>
void describe(Io& io, Kill& kill) {
  io.numbers(kill.signal_number);
  io.time(kill.grace);
}

template <typename Io>
void describe(Io&, Forget&) {}

template <typename Io>
void describe(Io& io, Shutdown& shutdown) {
  io.time(shutdown.grace);
}

template <typename Io>
void describe(Io& io, Usage& usage) {
  io.numbers(usage.number);
}

template <typename Io>
void describe(Io& io, CleanupDone& over) {
  io.flags(over.grant);
}

template <typename Io>
void describe(Io& io, RecordedMessage& recorded) {
  io.numbers(recorded.out, recorded.err);
  io.flags(recorded.end);
}

// As many whole sentences as fit.
void describe_sentences(Writer& writer, std::vector<std::string>& sentences) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < sentences.size() && bytes + sentences[count].size() <= kMaxUnprotectedBytes) {
    bytes += sentences[count++].size() + sizeof(std::uint32_t);
  }
  writer.list(sentences, count,
              [&](std::string& each) { writer.text(each, kMaxUnprotectedBytes); });
}

void describe_sentences(Reader& reader, std::vector<std::string>& sentences) {
  std::size_t bytes = 0;
  reader.list(sentences, kMaxUnprotectedBytes, [&](std::string& each) {
    reader.text(each, kMaxUnprotectedBytes);
    reader.require(bytes + each.size() <= kMaxUnprotectedBytes);
    bytes += each.size() + sizeof(std::uint32_t);
  });
}

template <typename Io>
void describe(Io& io, StartedMessage& started) {
  io.numbers(started.pid, started.start_time);
  io.require(started.pid > 0);
  io.flags(started.in, started.out, started.err);
  LimitsInForce& in_force = started.in_force;
  for (LimitMeans* means :
       {&in_force.memory, &in_force.cpu_time, &in_force.cpu_share, &in_force.pids}) {
    io.choice(*means, LimitMeans::kPolling);
  }
  SandboxReport& sandbox = started.sandbox;
  io.numbers(sandbox.landlock_abi);
  io.flags(sandbox.mount_namespace, sandbox.network_namespace, sandbox.seccomp);
  describe_sentences(io, sandbox.unprotected);
  io.text(sandbox.caches, kMaxCachesBytes);
  io.text(sandbox.copies, kMaxCachesBytes);
}

template <typename Io>
void describe(Io& io, DetachedMessage& detached) {
  describe(io, detached.started);
  for (bool& there : detached.fds) io.flags(there);
  for (EarlierOutput* output : {&detached.out, &detached.err}) {
    io.numbers(output->end, output->sent);
    io.require(output->end <= kMaxStreamOffset && output->sent <= output->end);
  }
  io.text(detached.notes, kMaxNotesBytes);
}

template <typename Io>
void describe(Io&, DetachedAll&) {}

template <typename Io>
void describe(Io& io, StartFailure& failure) {
  io.choice(failure.step, StartStep::kExec);
  io.numbers(failure.error);
  io.text(failure.detail, kMaxDetailBytes);
}

template <typename Io>
void describe(Io& io, ExitStatus& status) {
  io.numbers(status.code, status.signal);
  io.flags(status.core);
  io.time(status.user);
  io.time(status.system);
  io.numbers(status.max_rss_kib, status.out_end, status.err_end);
  io.require(std::max(status.out_end, status.err_end) <= kMaxStreamOffset);
  io.text(status.thrown_away, kMaxThrownAwayBytes);
  io.text(status.refused, kMaxRefusedBytes);
}

template <typename Io>
void describe(Io& io, Left& left) {
  io.numbers(left.alive);
}

template <typename Io>
void describe(Io& io, KillReport& report) {
  io.choice(report.how, KillReport::How::kSurvivors);
  io.numbers(report.dead);
  io.flags(report.cleanup_failed);
  io.list(report.survivors, kMaxReportedSurvivors, [&io](pid_t& pid) { io.numbers(pid); });
}

template <typename Io>
void describe(Io& io, LimitReached& reached) {
  io.choice(reached.kind, LimitKind::kCopies);
  io.numbers(reached.limit, reached.used);
}

template <typename Io>
void describe(Io& io, UsageIs& is) {
  TreeUsage& usage = is.usage;
  io.numbers(is.number);
  io.flags(is.known);
  io.numbers(usage.processes, usage.threads, usage.stopped, usage.rss_bytes);
  io.time(usage.cpu);
  io.numbers(usage.waiting_pid, usage.waiting_fd);
  io.flags(usage.waiting_stopped);
  io.text(usage.names, kMaxUsageNamesBytes);
  io.list(usage.ports, kMaxReportedPorts, [&io](ListeningPort& port) {
    io.numbers(port.port, port.pid);
    io.flags(port.loopback_only);
    io.text(port.address, kMaxAddressBytes);
  });
}

}  // namespace

std::size_t StartedMessage::fds() const {
  return std::size_t{1} + (in ? 1U : 0U) + (out ? 1U : 0U) + (err ? 1U : 0U);
}

template <typename Message>
void encode(Buffer& out, RunKey run, const Message& message) {
  Writer writer(out, kTypeOf<Message>, run);
  // The description serves both directions; this one changes nothing.
  describe(writer, const_cast<Message&>(message));
}

template <typename Message>
Result<Message> decode(Bytes body) {
  Reader reader(body);
  Message message;
  describe(reader, message);
  if (!reader.done())
    return malformed("type " + std::to_string(static_cast<int>(kTypeOf<Message>)));
  return message;
}

template void encode(Buffer&, RunKey, const Hello&);
template Result<Hello> decode(Bytes);
template void encode(Buffer&, RunKey, const Signal&);
template Result<Signal> decode(Bytes);
template void encode(Buffer&, RunKey, const Kill&);
template Result<Kill> decode(Bytes);
template void encode(Buffer&, RunKey, const Forget&);
template Result<Forget> decode(Bytes);
template void encode(Buffer&, RunKey, const Shutdown&);
template Result<Shutdown> decode(Bytes);
template void encode(Buffer&, RunKey, const Usage&);
template Result<Usage> decode(Bytes);
template void encode(Buffer&, RunKey, const CleanupDone&);
template Result<CleanupDone> decode(Bytes);
template void encode(Buffer&, RunKey, const RecordedMessage&);
template Result<RecordedMessage> decode(Bytes);
template void encode(Buffer&, RunKey, const StartedMessage&);
template Result<StartedMessage> decode(Bytes);
template void encode(Buffer&, RunKey, const StartFailure&);
template Result<StartFailure> decode(Bytes);
template void encode(Buffer&, RunKey, const ExitStatus&);
template Result<ExitStatus> decode(Bytes);
template void encode(Buffer&, RunKey, const Left&);
template Result<Left> decode(Bytes);
template void encode(Buffer&, RunKey, const KillReport&);
template Result<KillReport> decode(Bytes);
template void encode(Buffer&, RunKey, const LimitReached&);
template Result<LimitReached> decode(Bytes);
template void encode(Buffer&, RunKey, const UsageIs&);
template Result<UsageIs> decode(Bytes);
template void encode(Buffer&, RunKey, const DetachedMessage&);
template Result<DetachedMessage> decode(Bytes);
template void encode(Buffer&, RunKey, const DetachedAll&);
template Result<DetachedAll> decode(Bytes);

}  // namespace gibbous::wire
