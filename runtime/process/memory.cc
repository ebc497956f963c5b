// PSS from /proc/PID/smaps_rollup, and the blocks of open files on tmpfs.
#include "runtime/process/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/process/proc.h"
#include "runtime/process/usage.h"

namespace gibbous {
namespace {

constexpr std::size_t kRollupBytes = 2048;
constexpr std::size_t kMeminfoBytes = 4096;
constexpr std::uint64_t kKibibyte = 1024;
constexpr std::uint64_t kBlock = 512;  // of st_blocks

using Device = std::pair<unsigned, unsigned>;
using FileId = std::pair<Device, std::uint64_t>;

// Returns the value of "NAME:   123 kB" in bytes; 0 when it is not there.
std::uint64_t field(std::string_view text, std::string_view name) {
  std::size_t at = text.rfind(name, 0) == 0 ? 0 : text.find("\n" + std::string(name));
  if (at == std::string_view::npos) return 0;
  at = text.find_first_of("0123456789", at + name.size());
  if (at == std::string_view::npos) return 0;
  std::uint64_t kibibytes = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), kibibytes);
  return kibibytes * kKibibyte;
}

struct Resident {
  std::uint64_t all = 0;
  std::uint64_t shared = 0;  // of `all`: shared memory and files in memory
};

Resident resident(pid_t pid) {
  std::array<char, kRollupBytes> text;
  if (!read_proc_file(pid, "smaps_rollup", text)) return {};
  const std::string_view all(text.data());
  return {field(all, "Pss:"), field(all, "Pss_Shmem:")};
}

// The file systems in memory: those of memfd and of shared mappings, and the tmpfs mounts that a
// process sees.
class MemoryDevices {
 public:
  MemoryDevices() {
    const UniqueFd file(::memfd_create("gibbous-device", MFD_CLOEXEC));
    struct stat info {};
    if (file && ::fstat(file.get(), &info) == 0) {
      kernel_ = {::major(info.st_dev), ::minor(info.st_dev)};
    }
  }

  bool has(pid_t pid, Device device) {
    return device == kernel_ || mounts_of(pid).count(device) != 0;
  }

 private:
  const std::set<Device>& mounts_of(pid_t pid) {
    const std::string process = "/proc/" + std::to_string(pid);
    struct stat space {};
    if (::stat((process + "/ns/mnt").c_str(), &space) != 0) return none_;
    const auto [known, is_new] = by_space_.try_emplace(space.st_ino);
    if (!is_new) return known->second;
    std::ifstream mounts(process + "/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
      if (line.find(" - tmpfs ") == std::string::npos) continue;
      unsigned major_number = 0;
      unsigned minor_number = 0;
      if (std::sscanf(line.c_str(), "%*d %*d %u:%u", &major_number, &minor_number) == 2) {
        known->second.insert({major_number, minor_number});
      }
    }
    return known->second;
  }

  Device kernel_{};
  std::set<Device> none_;
  std::map<ino_t, std::set<Device>> by_space_;
};

void add_held_files(pid_t pid, MemoryDevices& devices, std::size_t& looked_at,
                    std::map<FileId, std::uint64_t>& held) {
  const std::string directory = "/proc/" + std::to_string(pid) + "/fd";
  std::vector<pid_t> descriptors;
  if (!list_numbers(directory.c_str(), descriptors)) return;
  for (const int descriptor : descriptors) {
    if (++looked_at > kMaxMemoryFiles) return;
    struct statx file {};
    const std::string path = directory + "/" + std::to_string(descriptor);
    constexpr unsigned kWanted = STATX_TYPE | STATX_INO | STATX_BLOCKS;
    if (::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, kWanted, &file) != 0) continue;
    const Device device{file.stx_dev_major, file.stx_dev_minor};
    if (!S_ISREG(file.stx_mode) || !devices.has(pid, device)) continue;
    held[{device, file.stx_ino}] = file.stx_blocks * kBlock;
  }
}

}  // namespace

std::uint64_t machine_shared_memory() {
  const UniqueFd file(::open("/proc/meminfo", O_RDONLY | O_CLOEXEC));
  std::array<char, kMeminfoBytes> text;
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  if (size <= 0) return 0;
  return field(std::string_view(text.data(), static_cast<std::size_t>(size)), "Shmem:");
}

std::uint64_t read_tree_memory(std::span<const pid_t> pids) {
  MemoryDevices devices;
  std::uint64_t own = 0;
  std::uint64_t mapped = 0;
  std::size_t looked_at = 0;
  std::map<FileId, std::uint64_t> held;
  for (const pid_t pid : pids.first(std::min(pids.size(), kMaxUsageProcesses))) {
    const Resident now = resident(pid);
    own += now.all - std::min(now.all, now.shared);
    mapped += now.shared;
    add_held_files(pid, devices, looked_at, held);
  }
  std::uint64_t files = 0;
  for (const auto& [id, bytes] : held) files += bytes;
  // Which of the files are mapped is not known: what is both must not count twice.
  return own + std::max(mapped, files);
}

}  // namespace gibbous
