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

Place place_of(const std::string& pid_space) {
  Place place;
  std::istringstream(pid_space) >> place.boot >> place.pids >> place.machine;
  return place;
}

Place this_place() {
  return place_of(pid_space());
}

// Returns true when the other place is this machine before its last boot.
bool is_over(const Place& other, const Place& here) {
  return !here.machine.empty() && other.machine == here.machine && other.boot != here.boot;
}

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string pid_space() {
  const std::string boot = first_word("/proc/sys/kernel/random/boot_id");
  char name[64];
  const ssize_t size = ::readlink("/proc/self/ns/pid", name, sizeof name);
  const std::string pids(name, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::string machine = first_word("/etc/machine-id");
  return boot + " " + pids + (machine.empty() ? "" : " " + machine);
}

bool is_process_alive(std::int64_t pid, std::int64_t start_time) {
  if (pid <= 0) return false;
  const auto stat = read_stat(static_cast<pid_t>(pid));
  return stat && stat->alive() && static_cast<std::int64_t>(stat->start_time) == start_time;
}

std::optional<bool> is_process_alive(const std::string& space, std::int64_t pid,
                                     std::int64_t start_time) {
  const Place there = place_of(space);
  const Place here = this_place();
  if (there.boot == here.boot && there.pids == here.pids) return is_process_alive(pid, start_time);
  if (is_over(there, here)) return false;
  return std::nullopt;
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
  const Place there{parts[0], parts[1], parts[2]};
  if (is_over(there, here)) return false;
  if (there.boot != here.boot || there.pids != here.pids) return std::nullopt;
  return is_process_alive(*pid, *start);
}

}  // namespace gibbous
