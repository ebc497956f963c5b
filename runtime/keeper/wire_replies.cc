// Encodes and decodes the keeper's messages to the library.
#include <algorithm>
#include <utility>

#include "runtime/keeper/wire.h"
#include "runtime/keeper/wire_codec.h"

namespace gibbous::wire {
namespace {

constexpr std::size_t kMaxAddressBytes = 46;  // of IPv6 as text

}  // namespace

std::size_t StartedMessage::fds() const {
  return std::size_t{1} + (in ? 1U : 0U) + (out ? 1U : 0U) + (err ? 1U : 0U);
}

namespace {

void put_started(Writer& writer, const StartedMessage& started) {
  writer.put(static_cast<std::int32_t>(started.pid))
      .put(started.start_time)
      .put(started.in)
      .put(started.out)
      .put(started.err)
      .put(static_cast<std::uint8_t>(started.in_force.memory))
      .put(static_cast<std::uint8_t>(started.in_force.cpu_time))
      .put(static_cast<std::uint8_t>(started.in_force.cpu_share))
      .put(static_cast<std::uint8_t>(started.in_force.pids))
      .put(started.sandbox.landlock_abi)
      .put(started.sandbox.mount_namespace)
      .put(started.sandbox.network_namespace)
      .put(started.sandbox.seccomp);
  const auto& sentences = started.sandbox.unprotected;
  std::size_t bytes = 0;
  std::uint32_t count = 0;
  while (count < sentences.size() && bytes + sentences[count].size() <= kMaxUnprotectedBytes) {
    bytes += sentences[count++].size() + sizeof count;
  }
  writer.put(count);
  for (std::uint32_t i = 0; i < count; ++i) writer.put_text(sentences[i], kMaxUnprotectedBytes);
  writer.put_text(started.sandbox.caches, kMaxCachesBytes);
  writer.put_text(started.sandbox.copies, kMaxCachesBytes);
}

StartedMessage get_started(Reader& reader) {
  StartedMessage started;
  started.pid = reader.get<std::int32_t>();
  started.start_time = reader.get<std::uint64_t>();
  started.in = reader.get_bool();
  started.out = reader.get_bool();
  started.err = reader.get_bool();
  started.in_force.memory = reader.get_enum(LimitMeans::kPolling);
  started.in_force.cpu_time = reader.get_enum(LimitMeans::kPolling);
  started.in_force.cpu_share = reader.get_enum(LimitMeans::kPolling);
  started.in_force.pids = reader.get_enum(LimitMeans::kPolling);
  reader.refuse_unless(started.pid > 0);
  started.sandbox.landlock_abi = reader.get<std::uint32_t>();
  started.sandbox.mount_namespace = reader.get_bool();
  started.sandbox.network_namespace = reader.get_bool();
  started.sandbox.seccomp = reader.get_bool();
  std::size_t bytes = 0;
  for (auto left = reader.get<std::uint32_t>(); reader.good() && left > 0; --left) {
    std::string sentence = reader.get_text(kMaxUnprotectedBytes);
    reader.refuse_unless(bytes + sentence.size() <= kMaxUnprotectedBytes);
    bytes += sentence.size() + sizeof left;
    started.sandbox.unprotected.push_back(std::move(sentence));
  }
  started.sandbox.caches = reader.get_text(kMaxCachesBytes);
  started.sandbox.copies = reader.get_text(kMaxCachesBytes);
  return started;
}

}  // namespace

void encode_started(Buffer& out, RunKey run, const StartedMessage& started) {
  Writer writer(out, Type::kStarted, run);
  put_started(writer, started);
}

Result<StartedMessage> decode_started(Bytes body) {
  Reader reader(body);
  StartedMessage started = get_started(reader);
  return finish(reader, std::move(started), "started");
}

void encode_detached(Buffer& out, RunKey run, const DetachedMessage& kept) {
  Writer writer(out, Type::kDetached, run);
  put_started(writer, kept.started);
  for (const bool there : kept.fds) writer.put(there);
  for (const EarlierOutput* output : {&kept.out, &kept.err}) {
    writer.put(output->end).put(output->sent);
  }
  writer.put_text(kept.notes, kMaxNotesBytes);
}

Result<DetachedMessage> decode_detached(Bytes body) {
  Reader reader(body);
  DetachedMessage kept;
  kept.started = get_started(reader);
  for (bool& there : kept.fds) there = reader.get_bool();
  for (EarlierOutput* output : {&kept.out, &kept.err}) {
    output->end = reader.get<std::uint64_t>();
    output->sent = reader.get<std::uint64_t>();
    reader.refuse_unless(output->end <= kMaxStreamOffset && output->sent <= output->end);
  }
  kept.notes = reader.get_text(kMaxNotesBytes);
  return finish(reader, std::move(kept), "kept");
}

void encode_detached_all(Buffer& out) {
  Writer(out, Type::kDetachedAll, 0);
}

Status decode_kept_all(Bytes body) {
  return body.empty() ? Status() : malformed("kept_all");
}

void encode_start_failed(Buffer& out, RunKey run, const StartFailure& failure) {
  Writer(out, Type::kStartFailed, run)
      .put(static_cast<std::uint8_t>(failure.step))
      .put(static_cast<std::int32_t>(failure.error))
      .put_text(failure.detail, kMaxDetailBytes);
}

Result<StartFailure> decode_start_failed(Bytes body) {
  Reader reader(body);
  StartFailure failure;
  failure.step = reader.get_enum(StartStep::kExec);
  failure.error = reader.get<std::int32_t>();
  failure.detail = reader.get_text(kMaxDetailBytes);
  return finish(reader, std::move(failure), "start_failed");
}

void encode_exited(Buffer& out, RunKey run, const ExitStatus& status) {
  Writer(out, Type::kExited, run)
      .put(static_cast<std::int32_t>(status.code))
      .put(static_cast<std::int32_t>(status.signal))
      .put(status.core)
      .put(status.user)
      .put(status.system)
      .put(status.max_rss_kib)
      .put(status.out_end)
      .put(status.err_end)
      .put_text(status.thrown_away, kMaxThrownAwayBytes)
      .put_text(status.refused, kMaxRefusedBytes);
}

Result<ExitStatus> decode_exited(Bytes body) {
  Reader reader(body);
  ExitStatus status;
  status.code = reader.get<std::int32_t>();
  status.signal = reader.get<std::int32_t>();
  status.core = reader.get_bool();
  status.user = reader.get_micros();
  status.system = reader.get_micros();
  status.max_rss_kib = reader.get<std::uint64_t>();
  status.out_end = reader.get<std::uint64_t>();
  status.err_end = reader.get<std::uint64_t>();
  status.thrown_away = reader.get_text(kMaxThrownAwayBytes);
  status.refused = reader.get_text(kMaxRefusedBytes);
  reader.refuse_unless(std::max(status.out_end, status.err_end) <= kMaxStreamOffset);
  return finish(reader, status, "exited");
}

void encode_left(Buffer& out, RunKey run, Left left) {
  Writer(out, Type::kLeft, run).put(left.alive);
}

Result<Left> decode_left(Bytes body) {
  Reader reader(body);
  Left left;
  left.alive = reader.get<std::uint32_t>();
  return finish(reader, left, "left");
}

void encode_killed(Buffer& out, RunKey run, const KillReport& report) {
  const std::size_t count = std::min(report.survivors.size(), kMaxReportedSurvivors);
  Writer writer(out, Type::kKilled, run);
  writer.put(static_cast<std::uint8_t>(report.how))
      .put(report.dead)
      .put(report.cleanup_failed)
      .put(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    writer.put(static_cast<std::int32_t>(report.survivors[i]));
  }
}

Result<KillReport> decode_killed(Bytes body) {
  Reader reader(body);
  KillReport report;
  const auto how = reader.get<std::uint8_t>();
  reader.refuse_unless(how <= static_cast<std::uint8_t>(KillReport::How::kSurvivors));
  report.how = static_cast<KillReport::How>(how);
  report.dead = reader.get<std::uint32_t>();
  report.cleanup_failed = reader.get_bool();
  const auto count = reader.get<std::uint32_t>();
  reader.refuse_unless(count <= kMaxReportedSurvivors);
  for (std::uint32_t i = 0; reader.good() && i < count; ++i) {
    report.survivors.push_back(reader.get<std::int32_t>());
  }
  return finish(reader, std::move(report), "killed");
}

void encode_limit(Buffer& out, RunKey run, LimitReached reached) {
  Writer(out, Type::kLimit, run)
      .put(static_cast<std::uint8_t>(reached.kind))
      .put(reached.limit)
      .put(reached.used);
}

Result<LimitReached> decode_limit(Bytes body) {
  Reader reader(body);
  LimitReached reached;
  reached.kind = reader.get_enum(LimitKind::kCopies);
  reached.limit = reader.get<std::uint64_t>();
  reached.used = reader.get<std::uint64_t>();
  return finish(reader, reached, "limit");
}

void encode_usage_is(Buffer& out, RunKey run, const UsageIs& is) {
  const std::size_t ports = std::min(is.usage.ports.size(), kMaxReportedPorts);
  Writer writer(out, Type::kUsageIs, run);
  writer.put(is.number)
      .put(is.known)
      .put(is.usage.processes)
      .put(is.usage.threads)
      .put(is.usage.stopped)
      .put(is.usage.rss_bytes)
      .put(is.usage.cpu)
      .put(static_cast<std::int32_t>(is.usage.waiting_pid))
      .put(static_cast<std::int32_t>(is.usage.waiting_fd))
      .put(is.usage.waiting_stopped)
      .put_text(is.usage.names, kMaxUsageNamesBytes)
      .put(static_cast<std::uint32_t>(ports));
  for (std::size_t i = 0; i < ports; ++i) {
    const ListeningPort& port = is.usage.ports[i];
    writer.put(port.port)
        .put(static_cast<std::int32_t>(port.pid))
        .put(port.loopback_only)
        .put_text(port.address, kMaxAddressBytes);
  }
}

Result<UsageIs> decode_usage_is(Bytes body) {
  Reader reader(body);
  UsageIs is;
  is.number = reader.get<std::uint32_t>();
  is.known = reader.get_bool();
  is.usage.processes = reader.get<std::uint32_t>();
  is.usage.threads = reader.get<std::uint32_t>();
  is.usage.stopped = reader.get<std::uint32_t>();
  is.usage.rss_bytes = reader.get<std::uint64_t>();
  is.usage.cpu = reader.get_micros();
  is.usage.waiting_pid = reader.get<std::int32_t>();
  is.usage.waiting_fd = reader.get<std::int32_t>();
  is.usage.waiting_stopped = reader.get_bool();
  is.usage.names = reader.get_text(kMaxUsageNamesBytes);
  const auto ports = reader.get<std::uint32_t>();
  reader.refuse_unless(ports <= kMaxReportedPorts);
  for (std::uint32_t i = 0; reader.good() && i < ports; ++i) {
    ListeningPort port;
    port.port = reader.get<std::uint16_t>();
    port.pid = reader.get<std::int32_t>();
    port.loopback_only = reader.get_bool();
    port.address = reader.get_text(kMaxAddressBytes);
    is.usage.ports.push_back(std::move(port));
  }
  return finish(reader, std::move(is), "usage_is");
}

}  // namespace gibbous::wire
