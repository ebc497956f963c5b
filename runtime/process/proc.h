// Reads what /proc says about processes. The keeper uses it for its children, and the library when
// its keeper is gone. Every result may be out of date when it returns: act on it only through
// signals.h. Any thread.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

struct ProcessStat {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';
  std::uint64_t start_time = 0;  // clock ticks since boot; with the pid, an identity

  bool alive() const { return state != 'Z' && state != 'X' && state != 'x'; }
};

// Identifies a process even if another one gets its pid later.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  // as in ProcessStat
};

// Returns nothing when there is no such process.
std::optional<ProcessStat> read_stat(pid_t pid);

// Fills `text` with the beginning of /proc/PID/NAME, always terminated by a NUL. Returns false when
// it cannot be read.
bool read_proc_file(pid_t pid, const char* name, std::span<char> text);

// Appends the names in a directory of /proc that are numbers; false when it cannot be read.
bool list_numbers(const char* directory, std::vector<pid_t>& numbers);

// Appends the children of a process, as many as fit into a page of text.
void append_children(pid_t pid, std::vector<pid_t>& processes);

// Returns the value of a variable in the environment that the process was started with.
std::optional<std::string> read_environment_variable(pid_t pid, const std::string& name);
// Returns the names of its variables that are not empty, at most `max`.
std::vector<std::string> read_environment_names(pid_t pid, std::size_t max);

// Returns the value of a line "NAME:\tVALUE" of /proc/PID/status and files like it; "": none.
std::string_view status_field(std::string_view text, std::string_view name);
// Returns whether a set of signals of /proc/PID/status ("SigIgn", "SigPnd") contains one.
bool status_signal(std::string_view text, std::string_view set, int signal_number);

// Returns whether the process ignores the signal; false when that is unknown.
bool ignores_signal(pid_t pid, int signal_number);

// Returns whether a signal has stopped the process, or will once it gets its turn.
bool is_stopped(pid_t pid);

// Converts a time on CLOCK_BOOTTIME to the clock ticks of ProcessStat::start_time.
std::uint64_t boot_ticks(std::uint64_t nanoseconds);

// stat(2) of an open file of a process, "/proc/PID/fd/N", as far as the kernel knows it without
// asking its file system, which may not answer. Only its type, device, inode and rdev are set.
bool stat_open_file(const char* path, struct stat* file);

}  // namespace gibbous
