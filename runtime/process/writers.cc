// Follows pipes from the leader's stdout towards the processes whose output ends up in it.
#include "runtime/process/writers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "runtime/process/proc.h"
#include "runtime/process/tree.h"

namespace gibbous {
namespace {

constexpr std::size_t kProgramPathBytes = 4096;
constexpr std::size_t kIoBytes = 512;

using PipeId = std::pair<dev_t, ino_t>;

// A process and its pipes; none where a descriptor is something else.
struct Piped {
  pid_t pid = 0;
  std::optional<PipeId> in;
  std::optional<PipeId> out;
};

std::string path_of(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

std::optional<PipeId> pipe_of(pid_t pid, const char* descriptor) {
  struct stat file {};
  if (!stat_open_file(path_of(pid, descriptor).c_str(), &file) || !S_ISFIFO(file.st_mode)) {
    return std::nullopt;
  }
  return PipeId(file.st_dev, file.st_ino);
}

std::string program_of(pid_t pid) {
  std::array<char, kProgramPathBytes> target;
  const ssize_t size = ::readlink(path_of(pid, "exe").c_str(), target.data(), target.size());
  if (size <= 0) return "";
  const std::string_view path(target.data(), static_cast<std::size_t>(size));
  return std::string(path.substr(path.rfind('/') + 1));
}

std::vector<std::string> arguments_of(pid_t pid) {
  std::array<char, kMaxWriterArgumentBytes> text{};
  std::vector<std::string> arguments;
  if (!read_proc_file(pid, "cmdline", text)) return arguments;
  // Arguments end with a NUL, and the text after the last one is cleared.
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest(text.data() + at, text.size() - at);
    if (rest.find_first_not_of('\0') == std::string_view::npos) break;
    arguments.emplace_back(rest.substr(0, rest.find('\0')));
    at += arguments.back().size() + 1;
  }
  return arguments;
}

std::optional<std::uint64_t> written_by(pid_t pid) {
  std::array<char, kIoBytes> text;
  if (!read_proc_file(pid, "io", text)) return std::nullopt;
  constexpr std::string_view kName = "wchar: ";
  const std::string_view all(text.data());
  const std::size_t found = all.find(kName);
  if (found == std::string_view::npos) return std::nullopt;
  std::uint64_t bytes = 0;
  const char* begin = all.data() + found + kName.size();
  const auto [end, error] = std::from_chars(begin, all.data() + all.size(), bytes);
  if (error != std::errc{}) return std::nullopt;
  return bytes;
}

OutputWriter describe(pid_t pid) {
  OutputWriter writer;
  writer.pid = pid;
  writer.program = program_of(pid);
  writer.argv = arguments_of(pid);
  writer.written_bytes = written_by(pid);
  writer.variables = read_environment_names(pid, kMaxWriterVariables);
  return writer;
}

std::vector<Piped> processes_below(pid_t leader) {
  ProcessTree tree;
  (void)tree.own_children();  // makes the one scan where the kernel has no lists of children
  std::vector<pid_t> pids = tree.with_descendants({leader});
  pids.resize(std::min(pids.size(), kMaxWriterProcesses));
  std::vector<Piped> processes;
  for (const pid_t pid : pids) {
    const auto stat = read_stat(pid);
    if (!stat || !stat->alive()) continue;
    processes.push_back({pid, pipe_of(pid, "fd/0"), pipe_of(pid, "fd/1")});
  }
  return processes;
}

bool is_written(const PipeId& pipe, const std::vector<Piped>& processes) {
  return std::any_of(processes.begin(), processes.end(),
                     [&pipe](const Piped& process) { return process.out == pipe; });
}

}  // namespace

std::vector<OutputWriter> read_output_writers(pid_t leader) {
  std::vector<OutputWriter> writers;
  const auto output = pipe_of(leader, "fd/1");
  if (!output) return writers;
  const std::vector<Piped> processes = processes_below(leader);
  // The pipes that lead to the output, nearest first; the list grows while it is read.
  std::vector<PipeId> pipes = {*output};
  for (std::size_t at = 0; at < pipes.size(); ++at) {
    for (const Piped& process : processes) {
      if (process.out != pipes[at]) continue;
      if (writers.size() == kMaxWriters) return writers;
      writers.push_back(describe(process.pid));
      writers.back().direct = at == 0;
      writers.back().fed = process.in && is_written(*process.in, processes);
      const bool is_new =
          process.in && std::find(pipes.begin(), pipes.end(), *process.in) == pipes.end();
      if (is_new) pipes.push_back(*process.in);
    }
  }
  return writers;
}

}  // namespace gibbous
