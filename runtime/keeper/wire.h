// The messages between the library and its keeper, and their bytes. Both link this file. One
// message is one SOCK_SEQPACKET packet: a header and a body in the machine's byte order. Every
// decoder checks every length and refuses what does not fit exactly. Besides the structs below,
// StartFailure, ExitStatus, KillReport and LimitReached are messages. Any thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/keeper/client.h"

namespace gibbous::wire {

// Raise on every change of a message. The header and Hello never change, so that two versions can
// tell each other what they are.
inline constexpr std::uint16_t kVersion = 14;

inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kMaxMessageBytes = 64UL * 1024;      // to the keeper
inline constexpr std::size_t kMaxReplyBytes = 8UL * 1024;         // to the library
inline constexpr std::size_t kMaxStartBytes = 8UL * 1024 * 1024;  // argv, env and cwd of one start
inline constexpr std::uint32_t kMaxStrings = 1U << 20;            // argv and env of one start
inline constexpr std::uint32_t kMaxLimits = 32;
inline constexpr std::size_t kMaxReportedSurvivors = 256;
inline constexpr std::size_t kMaxReportedPorts = 64;
inline constexpr std::size_t kMaxUsageNamesBytes = 400;
inline constexpr std::size_t kMaxDetailBytes = 1024;
inline constexpr std::size_t kMaxUnprotectedBytes = 2048;  // all sentences together
inline constexpr std::size_t kMaxCachesBytes = 512;
inline constexpr std::size_t kMaxRefusedBytes = 512;
inline constexpr std::size_t kMaxThrownAwayBytes = 2048;
inline constexpr std::uint64_t kMaxStreamOffset = std::uint64_t{1} << 62;
inline constexpr std::size_t kSandboxLists = 12;
inline constexpr std::size_t kSandboxNames = 3;  // strings before the lists
// Started: pidfd, stdin, stdout, stderr. Detached: pidfd, stdout, stderr and memfds with the output
// of both that no host has recorded. They come in this order, and some may be absent. Of a detached
// run with a terminal, stdout is the terminal and stderr a pipe with what it says.
inline constexpr std::size_t kMaxFds = 5;

enum class Type : std::uint16_t {
  // Library to keeper.
  kHello = 1,  // both ways; the first message of either
  kStart = 2,
  kSignal = 3,
  kKill = 4,
  kForget = 5,
  kShutdown = 6,
  kUsage = 7,
  kCleanup = 8,  // of the start that follows it
  kCleanupDone = 9,
  kRecorded = 10,
  // Keeper to library.
  kStarted = 32,
  kStartFailed = 33,
  kExited = 34,
  kLeft = 35,
  kKilled = 36,
  kLimit = 37,
  kUsageIs = 38,
  kDetached = 39,
  kDetachedAll = 40,
};

struct Header {
  std::uint16_t version = kVersion;
  Type type = Type::kHello;
  std::uint32_t length = 0;  // of the whole message
  RunKey run = 0;
};

using Bytes = std::span<const std::uint8_t>;
using Buffer = std::vector<std::uint8_t>;

// The header of a whole message, of any version; the caller compares it. Fails when the bytes are
// not a message.
Result<Header> decode_header(Bytes message);
inline Bytes body_of(Bytes message) {
  return message.subspan(kHeaderBytes);
}

// A message without its bytes; `run` is 0 for those that are not about a run. Texts and lists
// longer than the limits above are cut.
template <typename Message>
void encode(Buffer& out, RunKey run, const Message& message);
template <typename Message>
Result<Message> decode(Bytes body);

// --- to the keeper

struct Hello {
  std::uint32_t keeper = 0;  // the keeper's number in marks; the library chooses it
};

// The strings of a start: cwd, argv, env, the sandbox's name and paths, what a detached run needs,
// and the place of its EndRecord; each ended by a NUL, one after the other.
std::size_t strings_size(const StartRequest& request);
void append_strings(Buffer& out, const StartRequest& request);

// With `inline_strings` the strings are in the message, else in a sealed memfd that comes with it.
void encode_start(Buffer& out, RunKey run, const StartRequest& request, bool inline_strings);

// The cleanup command of the start of `run` that follows: a start of its own, without stdio, with
// its strings in the message, which is at most kMaxMessageBytes.
void encode_cleanup(Buffer& out, RunKey run, const CleanupCommand& cleanup);

struct Start {
  StdioKind in = StdioKind::kNull;
  StdioKind out = StdioKind::kNull;
  StdioKind err = StdioKind::kNull;
  std::optional<TerminalSize> terminal;
  std::vector<ResourceLimit> limits;
  TreeLimits tree_limits;
  std::uint32_t argc = 0;
  std::uint32_t envc = 0;
  bool sandboxed = false;
  SandboxSpec sandbox;  // without its strings
  // The length of each list of the sandbox, in the order of SandboxSpec.
  std::array<std::uint32_t, kSandboxLists> sandbox_paths{};
  bool keep = false;
  bool has_end_place = false;
  std::uint64_t strings_bytes = 0;
  bool inline_strings = false;
  Bytes strings;  // when they are inline; points into the message
};
Result<Start> decode_start(Bytes body);

// Pointers into `strings`, which must outlive them; argv and env end with a null pointer.
struct StartStrings {
  const char* cwd = nullptr;
  std::vector<char*> argv;
  std::vector<char*> env;
  std::optional<SandboxSpec> sandbox;
  const char* keep_directory = nullptr;  // null: not detached
  const char* notes = nullptr;
  std::optional<EndPlace> end_place;
};
Result<StartStrings> split_strings(const Start& start, Bytes strings);

// The run ended by itself: the keeper carries its cleanup command out now, or forgets it.
struct CleanupDone {
  bool grant = false;
};

struct Signal {
  std::int32_t signal_number = 0;
};

struct Kill {
  std::int32_t signal_number = 0;
  Millis grace{0};
};

struct Forget {};

struct Shutdown {
  Millis grace{0};
};

// A detached run is recorded up to these offsets of its streams; with `end`, its end is as well,
// and the next host need not see the run.
struct RecordedMessage {
  std::uint64_t out = 0;
  std::uint64_t err = 0;
  bool end = false;
};

// A question about a run; the answer carries the same number.
struct Usage {
  std::uint32_t number = 0;
};

// --- to the library

// The pidfd always comes with it; `in`, `out` and `err` say which other descriptors do.
struct StartedMessage {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  bool in = false;
  bool out = false;
  bool err = false;
  LimitsInForce in_force;
  SandboxReport sandbox;  // sentences past kMaxUnprotectedBytes are left out

  std::size_t fds() const;
};

struct DetachedMessage {
  StartedMessage started;  // `fds` says which descriptors there are
  std::array<bool, kMaxFds> fds{};
  EarlierOutput out;  // without the bytes, which are in the memfds
  EarlierOutput err;
  std::string notes;
};
// The last detached run was reported.
struct DetachedAll {};

struct Left {
  std::uint32_t alive = 0;
};

struct UsageIs {
  std::uint32_t number = 0;
  bool known = false;  // the run has a tree
  TreeUsage usage;     // ports past kMaxReportedPorts are left out
};

}  // namespace gibbous::wire
