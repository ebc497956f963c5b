// Which processes of a tree write into the pipe that its leader has as stdout, directly or through
// a pipeline, and what they are: so that a caller can say why nothing arrives. Reads /proc of at
// most kMaxWriterProcesses processes, about 30 µs each. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gibbous {

inline constexpr std::size_t kMaxWriterProcesses = 64;
inline constexpr std::size_t kMaxWriters = 16;
inline constexpr std::size_t kMaxWriterArgumentBytes = 4096;
inline constexpr std::size_t kMaxWriterVariables = 512;

struct OutputWriter {
  pid_t pid = 0;
  std::string program;                         // the last part of the path of its executable
  std::vector<std::string> argv;               // the first kMaxWriterArgumentBytes of them
  bool direct = false;                         // its stdout is the leader's, not a pipe in between
  bool fed = false;                            // another process of the tree writes its stdin
  std::optional<std::uint64_t> written_bytes;  // to any file; none: the kernel does not say
  std::vector<std::string> variables;          // those that are not empty
};

// Returns those next to the leader's pipe first; none when the leader's stdout is not a pipe. The
// names of the first kMaxWriterVariables variables that each was started with are included.
std::vector<OutputWriter> read_output_writers(pid_t leader);

}  // namespace gibbous
