// A Writer that patches the length when it is done, a Reader that goes bad on the first byte that
// is not there, and the messages in terms of them.
#include "runtime/keeper/wire.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <type_traits>

namespace gibbous::wire {
namespace {

constexpr std::size_t kLengthOffset = 4;
constexpr std::size_t kMaxAddressBytes = 46;  // of IPv6 as text

class Writer {
 public:
  Writer(Buffer& out, Type type, RunKey run) : out_(out) {
    out_.clear();
    put(kVersion);
    put(static_cast<std::uint16_t>(type));
    put(std::uint32_t{0});
    put(run);
  }
  // The length is known at the end.
  ~Writer() {
    const auto length = static_cast<std::uint32_t>(out_.size());
    std::memcpy(out_.data() + kLengthOffset, &length, sizeof length);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <typename T>
  Writer& put(T value) {
    static_assert(std::is_integral_v<T>);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    out_.insert(out_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  // Its size and its bytes, at most `max` of them.
  Writer& put_text(std::string_view text, std::size_t max) {
    text = text.substr(0, max);
    put(static_cast<std::uint32_t>(text.size()));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    out_.insert(out_.end(), bytes, bytes + text.size());
    return *this;
  }
  Writer& put(bool value) { return put(static_cast<std::uint8_t>(value)); }
  Writer& put(Millis value) { return put(static_cast<std::int64_t>(value.count())); }
  Writer& put(std::chrono::microseconds value) {
    return put(static_cast<std::int64_t>(value.count()));
  }

 private:
  Buffer& out_;
};

class Reader {
 public:
  explicit Reader(Bytes rest) : rest_(rest) {}

  template <typename T>
  T get() {
    static_assert(std::is_integral_v<T>);
    T value{};
    if (rest_.size() < sizeof value) {
      good_ = false;
      rest_ = {};
      return T{};
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  bool get_bool() {
    const auto value = get<std::uint8_t>();
    if (value > 1) good_ = false;
    return value == 1;
  }
  Millis get_millis() { return Millis(get_duration()); }
  std::chrono::microseconds get_micros() { return std::chrono::microseconds(get_duration()); }
  // One of the values from 0 to `last`.
  template <typename Enum>
  Enum get_enum(Enum last) {
    const auto value = get<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) good_ = false;
    return good_ ? static_cast<Enum>(value) : Enum{};
  }
  StdioKind get_stdio() { return get_enum(StdioKind::kStdout); }
  std::string get_text(std::size_t max) {
    const auto size = get<std::uint32_t>();
    if (size > max || size > rest_.size()) good_ = false;
    if (!good_) return {};
    const auto* text = reinterpret_cast<const char*>(rest_.data());
    rest_ = rest_.subspan(size);
    return {text, size};
  }
  Bytes take_rest() { return std::exchange(rest_, {}); }
  void refuse_unless(bool condition) { good_ = good_ && condition; }
  bool good() const { return good_; }
  // All there, and nothing more.
  bool done() const { return good_ && rest_.empty(); }

 private:
  // Not negative, and short enough for arithmetic with clocks.
  std::int64_t get_duration() {
    constexpr std::int64_t kMaxDuration = std::int64_t{1} << 52;
    const auto value = get<std::int64_t>();
    if (value < 0 || value > kMaxDuration) good_ = false;
    return good_ ? value : 0;
  }

  Bytes rest_;
  bool good_ = true;
};

Status malformed(const char* what) {
  return Status::error("malformed_message", std::string("malformed keeper message: ") + what);
}

template <typename T>
Result<T> finish(const Reader& reader, T value, const char* what) {
  if (!reader.done()) return malformed(what);
  return value;
}

// In the order of SandboxSpec.
std::array<const std::vector<std::string>*, kSandboxLists> lists_of(const SandboxSpec& spec) {
  return {&spec.read, &spec.write, &spec.unreadable, &spec.unwritable, &spec.pinned};
}

void append_string(Buffer& out, const std::string& text) {
  // With its NUL.
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.c_str());
  out.insert(out.end(), bytes, bytes + text.size() + 1);
}

}  // namespace

Result<Header> decode_header(Bytes message) {
  if (message.size() < kHeaderBytes) return malformed("shorter than a header");
  Reader reader(message.first(kHeaderBytes));
  Header header;
  header.version = reader.get<std::uint16_t>();
  header.type = static_cast<Type>(reader.get<std::uint16_t>());
  header.length = reader.get<std::uint32_t>();
  header.run = reader.get<std::uint64_t>();
  if (header.length != message.size()) return malformed("length");
  return header;
}

void encode_hello(Buffer& out, Hello hello) {
  Writer(out, Type::kHello, 0).put(hello.keeper);
}

Result<Hello> decode_hello(Bytes body) {
  Reader reader(body);
  Hello hello;
  hello.keeper = reader.get<std::uint32_t>();
  return finish(reader, hello, "hello");
}

std::size_t strings_size(const StartRequest& request) {
  std::size_t size = request.cwd.size() + 1;
  for (const std::string& argument : request.argv) size += argument.size() + 1;
  for (const std::string& variable : request.env) size += variable.size() + 1;
  if (request.sandbox) {
    size += request.sandbox->profile.size() + 1;
    for (const auto* list : lists_of(*request.sandbox)) {
      for (const std::string& path : *list) size += path.size() + 1;
    }
  }
  if (request.keep) size += request.keep_directory.size() + 1 + request.notes.size() + 1;
  return size;
}

void append_strings(Buffer& out, const StartRequest& request) {
  append_string(out, request.cwd);
  for (const std::string& argument : request.argv) append_string(out, argument);
  for (const std::string& variable : request.env) append_string(out, variable);
  if (request.sandbox) {
    append_string(out, request.sandbox->profile);
    for (const auto* list : lists_of(*request.sandbox)) {
      for (const std::string& path : *list) append_string(out, path);
    }
  }
  if (request.keep) {
    append_string(out, request.keep_directory);
    append_string(out, request.notes);
  }
}

void encode_start(Buffer& out, RunKey run, const StartRequest& request, bool inline_strings) {
  Writer writer(out, Type::kStart, run);
  writer.put(static_cast<std::uint8_t>(request.in))
      .put(static_cast<std::uint8_t>(request.out))
      .put(static_cast<std::uint8_t>(request.err))
      .put(inline_strings)
      .put(static_cast<std::uint32_t>(request.argv.size()))
      .put(static_cast<std::uint32_t>(request.env.size()))
      .put(static_cast<std::uint64_t>(strings_size(request)))
      .put(static_cast<std::uint32_t>(request.limits.size()));
  for (const ResourceLimit& limit : request.limits) {
    writer.put(static_cast<std::int32_t>(limit.resource)).put(limit.soft).put(limit.hard);
  }
  writer.put(request.tree_limits.memory_bytes)
      .put(request.tree_limits.cpu_time)
      .put(request.tree_limits.cpu_share_millis)
      .put(request.tree_limits.pids);
  writer.put(request.sandbox.has_value());
  if (request.sandbox) {
    writer.put(static_cast<std::uint8_t>(request.sandbox->network))
        .put(request.sandbox->min_landlock_abi);
    for (const auto* list : lists_of(*request.sandbox)) {
      writer.put(static_cast<std::uint32_t>(list->size()));
    }
  }
  writer.put(request.keep);
  if (inline_strings) append_strings(out, request);
}

Result<Start> decode_start(Bytes body) {
  Reader reader(body);
  Start start;
  start.in = reader.get_stdio();
  start.out = reader.get_stdio();
  start.err = reader.get_stdio();
  reader.refuse_unless(start.in != StdioKind::kStdout && start.out != StdioKind::kStdout);
  start.inline_strings = reader.get_bool();
  start.argc = reader.get<std::uint32_t>();
  start.envc = reader.get<std::uint32_t>();
  start.strings_bytes = reader.get<std::uint64_t>();
  const auto limits = reader.get<std::uint32_t>();
  reader.refuse_unless(limits <= kMaxLimits && start.argc >= 1 && start.argc <= kMaxStrings &&
                       start.envc <= kMaxStrings && start.strings_bytes <= kMaxStartBytes);
  for (std::uint32_t i = 0; reader.good() && i < limits; ++i) {
    ResourceLimit limit;
    limit.resource = reader.get<std::int32_t>();
    limit.soft = reader.get<rlim_t>();
    limit.hard = reader.get<rlim_t>();
    start.limits.push_back(limit);
  }
  start.tree_limits.memory_bytes = reader.get<std::uint64_t>();
  start.tree_limits.cpu_time = reader.get_micros();
  start.tree_limits.cpu_share_millis = reader.get<std::uint32_t>();
  start.tree_limits.pids = reader.get<std::uint32_t>();
  start.sandboxed = reader.get_bool();
  if (start.sandboxed) {
    start.network = reader.get_enum(SandboxNetwork::kOff);
    start.min_landlock_abi = reader.get<std::uint32_t>();
    for (std::uint32_t& count : start.sandbox_paths) {
      count = reader.get<std::uint32_t>();
      reader.refuse_unless(count <= kMaxSandboxPaths);
    }
  }
  start.keep = reader.get_bool();
  if (start.inline_strings) {
    start.strings = reader.take_rest();
    reader.refuse_unless(start.strings.size() == start.strings_bytes);
  }
  return finish(reader, std::move(start), "start");
}

static SandboxSpec sandbox_of(const Start& start, std::span<const char* const> strings) {
  SandboxSpec spec;
  spec.network = start.network;
  spec.min_landlock_abi = start.min_landlock_abi;
  spec.profile = strings.front();
  std::size_t next = 1;
  const std::array lists{&spec.read, &spec.write, &spec.unreadable, &spec.unwritable, &spec.pinned};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (std::uint32_t count = start.sandbox_paths[i]; count > 0; --count) {
      lists[i]->emplace_back(strings[next++]);
    }
  }
  return spec;
}

Result<StartStrings> split_strings(const Start& start, Bytes strings) {
  std::size_t sandbox = start.sandboxed ? 1 : 0;
  for (const std::uint32_t paths : start.sandbox_paths) sandbox += paths;
  constexpr std::size_t kKeepStrings = 2;
  const std::size_t count =
      std::size_t{1} + start.argc + start.envc + sandbox + (start.keep ? kKeepStrings : 0);
  if (strings.size() != start.strings_bytes || strings.size() < count || strings.back() != 0) {
    return malformed("strings of a start");
  }
  StartStrings split;
  split.argv.reserve(std::size_t{start.argc} + 1);
  split.env.reserve(std::size_t{start.envc} + 1);
  // execve takes pointers to non-const characters and does not write through them.
  auto* at = reinterpret_cast<char*>(const_cast<std::uint8_t*>(strings.data()));
  const char* const end = at + strings.size();
  std::vector<const char*> rest;
  for (std::size_t i = 0; i < count; ++i) {
    if (at == end) return malformed("fewer strings than were announced");
    if (i == 0) {
      split.cwd = at;
    } else if (i <= start.argc) {
      split.argv.push_back(at);
    } else if (i <= std::size_t{start.argc} + start.envc) {
      split.env.push_back(at);
    } else {
      rest.push_back(at);
    }
    at += std::strlen(at) + 1;
  }
  if (at != end) return malformed("more strings than were announced");
  split.argv.push_back(nullptr);
  split.env.push_back(nullptr);
  if (start.keep) {
    split.notes = rest.back();
    rest.pop_back();
    split.keep_directory = rest.back();
    rest.pop_back();
  }
  if (start.sandboxed) split.sandbox = sandbox_of(start, rest);
  return split;
}

void encode_signal(Buffer& out, RunKey run, Signal signal) {
  Writer(out, Type::kSignal, run).put(signal.signal_number);
}

Result<Signal> decode_signal(Bytes body) {
  Reader reader(body);
  Signal signal;
  signal.signal_number = reader.get<std::int32_t>();
  return finish(reader, signal, "signal");
}

void encode_kill(Buffer& out, RunKey run, Kill kill) {
  Writer(out, Type::kKill, run).put(kill.signal_number).put(kill.grace);
}

Result<Kill> decode_kill(Bytes body) {
  Reader reader(body);
  Kill kill;
  kill.signal_number = reader.get<std::int32_t>();
  kill.grace = reader.get_millis();
  return finish(reader, kill, "kill");
}

void encode_forget(Buffer& out, RunKey run) {
  Writer(out, Type::kForget, run);
}

Status decode_forget(Bytes body) {
  return body.empty() ? Status() : malformed("forget");
}

void encode_usage(Buffer& out, RunKey run, std::uint32_t number) {
  Writer(out, Type::kUsage, run).put(number);
}

Result<std::uint32_t> decode_usage(Bytes body) {
  Reader reader(body);
  const auto number = reader.get<std::uint32_t>();
  return finish(reader, number, "usage");
}

void encode_shutdown(Buffer& out, Shutdown shutdown) {
  Writer(out, Type::kShutdown, 0).put(shutdown.grace);
}

Result<Shutdown> decode_shutdown(Bytes body) {
  Reader reader(body);
  Shutdown shutdown;
  shutdown.grace = reader.get_millis();
  return finish(reader, shutdown, "shutdown");
}

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

void encode_kept(Buffer& out, RunKey run, const KeptMessage& kept) {
  Writer writer(out, Type::kKept, run);
  put_started(writer, kept.started);
  for (const bool there : kept.fds) writer.put(there);
  writer.put(kept.lost_out).put(kept.lost_err).put_text(kept.notes, kMaxNotesBytes);
}

Result<KeptMessage> decode_kept(Bytes body) {
  Reader reader(body);
  KeptMessage kept;
  kept.started = get_started(reader);
  for (bool& there : kept.fds) there = reader.get_bool();
  kept.lost_out = reader.get<std::uint64_t>();
  kept.lost_err = reader.get<std::uint64_t>();
  kept.notes = reader.get_text(kMaxNotesBytes);
  return finish(reader, std::move(kept), "kept");
}

void encode_kept_all(Buffer& out) {
  Writer(out, Type::kKeptAll, 0);
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
      .put(status.max_rss_kib);
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
  reached.kind = reader.get_enum(LimitKind::kIdle);
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
      .put(is.usage.rss_bytes)
      .put(is.usage.cpu)
      .put(static_cast<std::int32_t>(is.usage.waiting_pid))
      .put(static_cast<std::int32_t>(is.usage.waiting_fd))
      .put(is.usage.waiting_stopped)
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
  is.usage.rss_bytes = reader.get<std::uint64_t>();
  is.usage.cpu = reader.get_micros();
  is.usage.waiting_pid = reader.get<std::int32_t>();
  is.usage.waiting_fd = reader.get<std::int32_t>();
  is.usage.waiting_stopped = reader.get_bool();
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
