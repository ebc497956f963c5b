// What the library and its keeper say to one another: the messages, and their bytes. Both link this
// file; nothing else is shared. One message is one SOCK_SEQPACKET packet: a header and a body in
// the machine's byte order. Every decoder checks every length and refuses what does not fit
// exactly. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/keeper/client.h"

namespace gibbous::wire {

// Raise on every change of a message. The header and Hello stay as they are for good, so that two
// versions can tell each other what they are.
inline constexpr std::uint16_t kVersion = 1;

inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kMaxMessageBytes = 64UL * 1024;      // to the keeper
inline constexpr std::size_t kMaxReplyBytes = 4UL * 1024;         // to the library
inline constexpr std::size_t kMaxStartBytes = 8UL * 1024 * 1024;  // argv, env and cwd of one start
inline constexpr std::uint32_t kMaxStrings = 1U << 20;            // argv and env of one start
inline constexpr std::uint32_t kMaxLimits = 32;
inline constexpr std::size_t kMaxReportedSurvivors = 256;
// pidfd, stdin, stdout, stderr, in this order, as far as they are there.
inline constexpr std::size_t kMaxFds = 4;

enum class Type : std::uint16_t {
  // Library to keeper.
  kHello = 1,  // both ways; the first message of either
  kStart = 2,
  kSignal = 3,
  kKill = 4,
  kForget = 5,
  kShutdown = 6,
  // Keeper to library.
  kStarted = 32,
  kStartFailed = 33,
  kExited = 34,
  kLeft = 35,
  kKilled = 36,
};

struct Header {
  std::uint16_t version = kVersion;
  Type type = Type::kHello;
  std::uint32_t length = 0;  // of the whole message
  RunKey run = 0;
};

using Bytes = std::span<const std::uint8_t>;
using Buffer = std::vector<std::uint8_t>;

// The header of a whole message. Any version; the caller compares. Fails when the bytes are not a
// message.
Result<Header> decode_header(Bytes message);
inline Bytes body_of(Bytes message) {
  return message.subspan(kHeaderBytes);
}

struct Hello {
  std::uint32_t keeper = 0;  // the keeper's number in marks; chosen by the library
};
void encode_hello(Buffer& out, Hello hello);
Result<Hello> decode_hello(Bytes body);

// The strings of a start: cwd, argv and env, each ended by a NUL, one after the other.
std::size_t strings_size(const StartRequest& request);
void append_strings(Buffer& out, const StartRequest& request);

// With `inline_strings` they are in the message, else in a sealed memfd that comes with it.
void encode_start(Buffer& out, RunKey run, const StartRequest& request, bool inline_strings);

struct Start {
  StdioKind in = StdioKind::kNull;
  StdioKind out = StdioKind::kNull;
  StdioKind err = StdioKind::kNull;
  std::vector<ResourceLimit> limits;
  std::uint32_t argc = 0;
  std::uint32_t envc = 0;
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
};
Result<StartStrings> split_strings(const Start& start, Bytes strings);

struct Signal {
  std::int32_t signal_number = 0;
};
void encode_signal(Buffer& out, RunKey run, Signal signal);
Result<Signal> decode_signal(Bytes body);

struct Kill {
  std::int32_t signal_number = 0;
  Millis grace{0};
};
void encode_kill(Buffer& out, RunKey run, Kill kill);
Result<Kill> decode_kill(Bytes body);

void encode_forget(Buffer& out, RunKey run);
Status decode_forget(Bytes body);

struct Shutdown {
  Millis grace{0};
};
void encode_shutdown(Buffer& out, Shutdown shutdown);
Result<Shutdown> decode_shutdown(Bytes body);

// Which descriptors come with it: the pidfd always, then a bit each.
struct StartedMessage {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  bool in = false;
  bool out = false;
  bool err = false;

  std::size_t fds() const;
};
void encode_started(Buffer& out, RunKey run, StartedMessage started);
Result<StartedMessage> decode_started(Bytes body);

void encode_start_failed(Buffer& out, RunKey run, StartFailure failure);
Result<StartFailure> decode_start_failed(Bytes body);

void encode_exited(Buffer& out, RunKey run, const ExitStatus& status);
Result<ExitStatus> decode_exited(Bytes body);

struct Left {
  std::uint32_t alive = 0;
};
void encode_left(Buffer& out, RunKey run, Left left);
Result<Left> decode_left(Bytes body);

// Survivors past kMaxReportedSurvivors are left out.
void encode_killed(Buffer& out, RunKey run, const KillReport& report);
Result<KillReport> decode_killed(Bytes body);

}  // namespace gibbous::wire
