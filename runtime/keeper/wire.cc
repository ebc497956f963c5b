// The library's messages to its keeper, and both sides' hello. The keeper's answers are in
// wire_replies.cc.
#include "runtime/keeper/wire.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "runtime/keeper/wire_codec.h"

namespace gibbous::wire {
namespace {

// In the order of SandboxSpec.
template <typename Spec>
auto lists_of(Spec& spec) {
  return std::array{&spec.read,    &spec.write,    &spec.unreadable, &spec.unwritable,
                    &spec.pinned,  &spec.occupied, &spec.claimed,    &spec.shown,
                    &spec.layered, &spec.shapes,   &spec.visible,    &spec.stand_ins};
}

// What comes before the lists.
template <typename Spec>
auto names_of(Spec& spec) {
  return std::array{&spec.profile, &spec.network_group, &spec.temporary_group};
}

StartRequest request_of(const CleanupCommand& cleanup) {
  StartRequest request;
  request.argv = cleanup.argv;
  request.env = cleanup.env;
  request.cwd = cleanup.cwd;
  request.out = request.err = StdioKind::kNull;
  return request;
}

void append_string(Buffer& out, const std::string& text) {
  // Appends the text with its NUL.
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
    for (const std::string* name : names_of(*request.sandbox)) size += name->size() + 1;
    for (const auto* list : lists_of(*request.sandbox)) {
      for (const std::string& path : *list) size += path.size() + 1;
    }
  }
  if (request.keep) size += request.keep_directory.size() + 1 + request.notes.size() + 1;
  if (const auto& place = request.end_place) {
    size += place->directory.size() + 1 + place->run_id.size() + 1;
  }
  return size;
}

void append_strings(Buffer& out, const StartRequest& request) {
  append_string(out, request.cwd);
  for (const std::string& argument : request.argv) append_string(out, argument);
  for (const std::string& variable : request.env) append_string(out, variable);
  if (request.sandbox) {
    for (const std::string* name : names_of(*request.sandbox)) append_string(out, *name);
    for (const auto* list : lists_of(*request.sandbox)) {
      for (const std::string& path : *list) append_string(out, path);
    }
  }
  if (request.keep) {
    append_string(out, request.keep_directory);
    append_string(out, request.notes);
  }
  if (request.end_place) {
    append_string(out, request.end_place->directory);
    append_string(out, request.end_place->run_id);
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
        .put(request.sandbox->min_landlock_abi)
        .put(request.sandbox->names_only)
        .put(request.sandbox->copied)
        .put(request.sandbox->layer_bytes);
    for (const auto* list : lists_of(*request.sandbox)) {
      writer.put(static_cast<std::uint32_t>(list->size()));
    }
  }
  writer.put(request.terminal.has_value());
  if (request.terminal) writer.put(request.terminal->rows).put(request.terminal->cols);
  writer.put(request.keep).put(request.end_place.has_value());
  if (inline_strings) append_strings(out, request);
}

void encode_cleanup(Buffer& out, RunKey run, const CleanupCommand& cleanup) {
  encode_start(out, run, request_of(cleanup), true);
  const auto type = static_cast<std::uint16_t>(Type::kCleanup);
  std::memcpy(out.data() + sizeof kVersion, &type, sizeof type);
}

void encode_cleanup_done(Buffer& out, RunKey run, CleanupDone over) {
  Writer(out, Type::kCleanupDone, run).put(over.grant);
}

Result<CleanupDone> decode_cleanup_done(Bytes body) {
  Reader reader(body);
  CleanupDone over;
  over.grant = reader.get_bool();
  return finish(reader, over, "cleanup command over");
}

void encode_recorded(Buffer& out, RunKey run, const RecordedMessage& recorded) {
  Writer(out, Type::kRecorded, run).put(recorded.out).put(recorded.err).put(recorded.end);
}

Result<RecordedMessage> decode_recorded(Bytes body) {
  Reader reader(body);
  RecordedMessage recorded;
  recorded.out = reader.get<std::uint64_t>();
  recorded.err = reader.get<std::uint64_t>();
  recorded.end = reader.get_bool();
  return finish(reader, recorded, "recorded");
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
    start.names_only = reader.get_bool();
    start.copied = reader.get_bool();
    start.layer_bytes = reader.get<std::uint64_t>();
    for (std::uint32_t& count : start.sandbox_paths) {
      count = reader.get<std::uint32_t>();
      reader.refuse_unless(count <= kMaxSandboxPaths);
    }
  }
  if (reader.get_bool()) {
    TerminalSize size;
    size.rows = reader.get<std::uint16_t>();
    size.cols = reader.get<std::uint16_t>();
    reader.refuse_unless(is_terminal_size(size));
    start.terminal = size;
  }
  start.keep = reader.get_bool();
  start.has_end_place = reader.get_bool();
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
  spec.names_only = start.names_only;
  spec.copied = start.copied;
  spec.layer_bytes = start.layer_bytes;
  auto next = strings.begin();
  for (std::string* const name : names_of(spec)) *name = *next++;
  static_assert(std::tuple_size_v<decltype(lists_of(spec))> == kSandboxLists);
  auto count = start.sandbox_paths.begin();
  for (std::vector<std::string>* const list : lists_of(spec)) {
    list->assign(next, next + *count);
    next += *count++;
  }
  return spec;
}

Result<StartStrings> split_strings(const Start& start, Bytes strings) {
  std::size_t sandbox = start.sandboxed ? kSandboxNames : 0;
  for (const std::uint32_t paths : start.sandbox_paths) sandbox += paths;
  constexpr std::size_t kPairOfStrings = 2;
  std::size_t count = std::size_t{1} + start.argc + start.envc + sandbox;
  if (start.keep) count += kPairOfStrings;
  if (start.has_end_place) count += kPairOfStrings;
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
  rest.reserve(sandbox + kPairOfStrings * 2);
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
  const auto take_last = [&rest] {
    const char* last = rest.back();
    rest.pop_back();
    return last;
  };
  if (start.has_end_place) {
    split.end_place.emplace();
    split.end_place->run_id = take_last();
    split.end_place->directory = take_last();
  }
  if (start.keep) {
    split.notes = take_last();
    split.keep_directory = take_last();
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

}  // namespace gibbous::wire
