// The header of all messages, and starts, whose strings are not a part of their description. All
// other messages are described in wire_messages.cc.
#include "runtime/keeper/wire.h"

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

// Calls `each` with every string of the request, in the order of the message.
template <typename Each>
void for_each_string(const StartRequest& request, Each each) {
  each(request.cwd);
  for (const std::string& argument : request.argv) each(argument);
  for (const std::string& variable : request.env) each(variable);
  if (request.sandbox) {
    for (const std::string* name : names_of(*request.sandbox)) each(*name);
    for (const auto* list : lists_of(*request.sandbox)) {
      for (const std::string& path : *list) each(path);
    }
  }
  if (request.keep) {
    each(request.keep_directory);
    each(request.notes);
  }
  if (request.end_place) {
    each(request.end_place->directory);
    each(request.end_place->run_id);
  }
}

template <typename Io>
void describe(Io& io, Start& start) {
  for (StdioKind* kind : {&start.in, &start.out, &start.err}) io.choice(*kind, StdioKind::kStdout);
  io.require(start.in != StdioKind::kStdout && start.out != StdioKind::kStdout);
  io.flags(start.inline_strings);
  io.numbers(start.argc, start.envc, start.strings_bytes);
  io.require(start.argc >= 1 && start.argc <= kMaxStrings && start.envc <= kMaxStrings &&
             start.strings_bytes <= kMaxStartBytes);
  io.list(start.limits, kMaxLimits,
          [&io](ResourceLimit& limit) { io.numbers(limit.resource, limit.soft, limit.hard); });
  TreeLimits& tree = start.tree_limits;
  io.numbers(tree.memory_bytes);
  io.time(tree.cpu_time);
  io.numbers(tree.cpu_share_millis, tree.pids);
  io.flags(start.sandboxed);
  if (start.sandboxed) {
    SandboxSpec& sandbox = start.sandbox;
    io.choice(sandbox.network, SandboxNetwork::kOff);
    io.numbers(sandbox.min_landlock_abi);
    io.flags(sandbox.names_only, sandbox.copied);
    io.numbers(sandbox.layer_bytes);
    for (std::uint32_t& count : start.sandbox_paths) {
      io.numbers(count);
      io.require(count <= kMaxSandboxPaths);
    }
  }
  io.optional(start.terminal, [&io](TerminalSize& size) {
    io.numbers(size.rows, size.cols);
    io.require(is_terminal_size(size));
  });
  io.flags(start.keep, start.has_end_place);
}

Start start_of(const StartRequest& request, bool inline_strings) {
  Start start{.in = request.in,
              .out = request.out,
              .err = request.err,
              .terminal = request.terminal,
              .limits = request.limits,
              .tree_limits = request.tree_limits,
              .argc = static_cast<std::uint32_t>(request.argv.size()),
              .envc = static_cast<std::uint32_t>(request.env.size()),
              .sandboxed = request.sandbox.has_value(),
              .keep = request.keep,
              .has_end_place = request.end_place.has_value(),
              .strings_bytes = strings_size(request),
              .inline_strings = inline_strings};
  if (!request.sandbox) return start;
  const SandboxSpec& sandbox = *request.sandbox;
  start.sandbox.network = sandbox.network;
  start.sandbox.min_landlock_abi = sandbox.min_landlock_abi;
  start.sandbox.names_only = sandbox.names_only;
  start.sandbox.copied = sandbox.copied;
  start.sandbox.layer_bytes = sandbox.layer_bytes;
  auto count = start.sandbox_paths.begin();
  for (const auto* list : lists_of(sandbox)) {
    *count++ = static_cast<std::uint32_t>(list->size());
  }
  return start;
}

SandboxSpec sandbox_of(const Start& start, std::span<const char* const> strings) {
  SandboxSpec spec = start.sandbox;
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

void write_start(Buffer& out, Type type, RunKey run, const StartRequest& request,
                 bool inline_strings) {
  Writer writer(out, type, run);
  Start start = start_of(request, inline_strings);
  describe(writer, start);
  if (inline_strings) append_strings(out, request);
}

}  // namespace

Result<Header> decode_header(Bytes message) {
  if (message.size() < kHeaderBytes) return malformed("shorter than a header");
  Reader reader(message.first(kHeaderBytes));
  Header header;
  std::uint16_t type = 0;
  reader.numbers(header.version, type, header.length, header.run);
  header.type = static_cast<Type>(type);
  if (header.length != message.size()) return malformed("length");
  return header;
}

std::size_t strings_size(const StartRequest& request) {
  std::size_t size = 0;
  for_each_string(request, [&size](const std::string& text) { size += text.size() + 1; });
  return size;
}

void append_strings(Buffer& out, const StartRequest& request) {
  for_each_string(request, [&out](const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.c_str());
    out.insert(out.end(), bytes, bytes + text.size() + 1);  // with its NUL
  });
}

void encode_start(Buffer& out, RunKey run, const StartRequest& request, bool inline_strings) {
  write_start(out, Type::kStart, run, request, inline_strings);
}

void encode_cleanup(Buffer& out, RunKey run, const CleanupCommand& cleanup) {
  write_start(out, Type::kCleanup, run, request_of(cleanup), true);
}

Result<Start> decode_start(Bytes body) {
  Reader reader(body);
  Start start;
  describe(reader, start);
  if (start.inline_strings) {
    start.strings = reader.take_rest();
    reader.require(start.strings.size() == start.strings_bytes);
  }
  if (!reader.done()) return malformed("start");
  return start;
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

}  // namespace gibbous::wire
