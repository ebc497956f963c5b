#include "runtime/process/pid_space.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "runtime/process/proc.h"

namespace gibbous {
namespace {

// Describes where a process is, in words without a '/'.
struct Place {
  std::string machine, boot, pids;
};

std::string first_word(const char* path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

Place this_place() {
  Place place;
  place.machine = first_word("/etc/machine-id");
  std::istringstream space(pid_space());
  space >> place.boot >> place.pids;
  return place;
}

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string pid_space() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char name[64];
  const ssize_t size = ::readlink("/proc/self/ns/pid", name, sizeof name);
  return boot + " " + std::string(name, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

bool is_process_alive(std::int64_t pid, std::int64_t start_time) {
  if (pid <= 0) return false;
  const auto stat = read_stat(static_cast<pid_t>(pid));
  return stat && stat->alive() && static_cast<std::int64_t>(stat->start_time) == start_time;
}

std::string process_tag() {
  const Place place = this_place();
  const auto stat = read_stat(::getpid());
  return place.machine + "/" + place.boot + "/" + place.pids + "/" + std::to_string(::getpid()) +
         "/" + std::to_string(stat ? stat->start_time : 0);
}

std::optional<bool> is_tagged_process_alive(const std::string& tag) {
  constexpr std::size_t kParts = 5;
  std::array<std::string, kParts> parts;
  std::istringstream text(tag);
  for (std::string& part : parts) std::getline(text, part, '/');
  const Place here = this_place();
  const auto pid = number_of(parts[3]);
  const auto start = number_of(parts[4]);
  if (!pid || !start) return std::nullopt;
  if (parts[1] != here.boot) {
    // This machine has rebooted since, or it is another one.
    if (here.machine.empty() || parts[0] != here.machine) return std::nullopt;
    return false;
  }
  if (parts[2] != here.pids) return std::nullopt;
  return is_process_alive(*pid, *start);
}

}  // namespace gibbous
