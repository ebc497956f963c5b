// Reads /proc with plain system calls: no stdio, no allocation except for the results.
#include "runtime/process/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/base/unique_fd.h"

namespace gibbous {
namespace {

constexpr std::size_t kPathBytes = 64;
constexpr std::size_t kStatBytes = 1024;
constexpr std::size_t kDirectoryBytes = 32UL * 1024;
constexpr std::size_t kEnvironmentBytes = 128UL * 1024;

// Reads until the buffer is full or the file ends; false on an error.
bool read_all(int fd, std::span<char> text, std::size_t& length) {
  length = 0;
  while (length < text.size()) {
    const ssize_t got = ::read(fd, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  return true;
}

template <typename Number>
bool next_field(std::string_view& text, Number& number) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

UniqueFd open_proc_file(pid_t pid, const char* name) {
  std::array<char, kPathBytes> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", pid, name);
  return UniqueFd(::open(path.data(), O_RDONLY | O_CLOEXEC));
}

// Gives each NAME=VALUE of the environment that the process was started with, until `take` returns
// false.
template <typename Take>
void each_variable(pid_t pid, const Take& take) {
  const UniqueFd file = open_proc_file(pid, "environ");
  std::string text(kEnvironmentBytes, '\0');
  std::size_t length = 0;
  if (!file || !read_all(file.get(), text, length)) return;
  std::string_view rest = std::string_view(text).substr(0, length);
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find('\0'));
    if (!take(entry)) return;
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
  }
}

}  // namespace

bool read_proc_file(pid_t pid, const char* name, std::span<char> text) {
  const UniqueFd file = open_proc_file(pid, name);
  std::size_t length = 0;
  if (!file || !read_all(file.get(), text.first(text.size() - 1), length)) return false;
  text[length] = '\0';
  return true;
}

std::optional<ProcessStat> read_stat(pid_t pid) {
  std::array<char, kStatBytes> text;
  if (!read_proc_file(pid, "stat", text)) return std::nullopt;
  // The name in parentheses may contain anything, even parentheses: the last one ends it.
  const char* name_end = std::strrchr(text.data(), ')');
  if (name_end == nullptr || name_end[1] != ' ' || name_end[2] == '\0') return std::nullopt;
  ProcessStat stat;
  stat.pid = pid;
  stat.state = name_end[2];
  std::string_view rest(name_end + 3);
  if (!next_field(rest, stat.parent) || !next_field(rest, stat.group) ||
      !next_field(rest, stat.session)) {
    return std::nullopt;
  }
  constexpr int kFieldsBetween = 15;  // tty_nr (7) to itrealvalue (21)
  for (int i = 0; i < kFieldsBetween; ++i) {
    std::int64_t ignored_signed = 0;
    std::uint64_t ignored = 0;
    std::string_view before = rest;
    if (next_field(rest, ignored_signed)) continue;
    rest = before;
    if (!next_field(rest, ignored)) return std::nullopt;
  }
  if (!next_field(rest, stat.start_time)) return std::nullopt;
  return stat;
}

bool list_numbers(const char* directory, std::vector<pid_t>& numbers) {
  const UniqueFd dir(::open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir) return false;
  alignas(dirent64) std::array<char, kDirectoryBytes> buffer;
  for (;;) {
    const long got = ::syscall(SYS_getdents64, dir.get(), buffer.data(), buffer.size());
    if (got < 0) return false;
    if (got == 0) return true;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      const char* name = static_cast<const char*>(entry->d_name);
      const char* name_end = name + std::strlen(name);
      pid_t number = 0;
      const auto [end, error] = std::from_chars(name, name_end, number);
      if (error == std::errc{} && end == name_end && number > 0) numbers.push_back(number);
      at += entry->d_reclen;
    }
  }
}

std::optional<std::string> read_environment_variable(pid_t pid, const std::string& name) {
  std::optional<std::string> value;
  const std::string prefix = name + "=";
  each_variable(pid, [&](std::string_view entry) {
    if (entry.starts_with(prefix)) value = std::string(entry.substr(prefix.size()));
    return !value;
  });
  return value;
}

std::vector<std::string> read_environment_names(pid_t pid, std::size_t max) {
  std::vector<std::string> names;
  each_variable(pid, [&](std::string_view entry) {
    const std::size_t equals = entry.find('=');
    const bool is_set = equals < entry.size() - 1;  // false for npos, too
    if (is_set) names.emplace_back(entry.substr(0, equals));
    return names.size() < max;
  });
  return names;
}

std::string_view status_field(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.rfind(name, 0) != 0 || line.size() <= name.size() || line[name.size()] != ':')
      continue;
    const std::size_t value = line.find_first_not_of(" \t", name.size() + 1);
    return value == std::string_view::npos ? "" : line.substr(value);
  }
  return "";
}

bool status_signal(std::string_view text, std::string_view set, int signal_number) {
  constexpr int kHexadecimal = 16;
  const std::string_view digits = status_field(text, set);
  std::uint64_t signals = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), signals, kHexadecimal);
  return (signals >> (signal_number - 1) & 1U) != 0;
}

bool ignores_signal(pid_t pid, int signal_number) {
  constexpr std::size_t kStatusBytes = 8192;
  std::array<char, kStatusBytes> text;
  return read_proc_file(pid, "status", text) && status_signal(text.data(), "SigIgn", signal_number);
}

bool is_stopped(pid_t pid) {
  constexpr std::size_t kStatusBytes = 8192;
  std::array<char, kStatusBytes> text;
  if (!read_proc_file(pid, "status", text)) return false;
  return status_field(text.data(), "State").starts_with('T') ||
         status_signal(text.data(), "ShdPnd", SIGSTOP) ||
         status_signal(text.data(), "SigPnd", SIGSTOP);
}

std::uint64_t boot_ticks(std::uint64_t nanoseconds) {
  constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
  const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return nanoseconds / (kNanosPerSecond / ticks_per_second);
}

bool stat_open_file(const char* path, struct stat* file) {
  struct statx info {};
  if (::statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &info) != 0) return false;
  file->st_mode = info.stx_mode;
  file->st_ino = info.stx_ino;
  file->st_dev = makedev(info.stx_dev_major, info.stx_dev_minor);
  file->st_rdev = makedev(info.stx_rdev_major, info.stx_rdev_minor);
  return true;
}

void append_children(pid_t pid, std::vector<pid_t>& processes) {
  constexpr std::size_t kChildrenBytes = 4096;
  std::array<char, kChildrenBytes> text;
  const std::string name = "task/" + std::to_string(pid) + "/children";
  if (!read_proc_file(pid, name.c_str(), text)) return;
  for (char* at = text.data();;) {
    char* end = nullptr;
    const long child = std::strtol(at, &end, 10);
    if (end == at) return;
    processes.push_back(static_cast<pid_t>(child));
    at = end;
  }
}

}  // namespace gibbous
