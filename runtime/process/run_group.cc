// Versions 1 and 2 share ideas under different names; their differences are in one place for each
// limit.
#include "runtime/process/run_group.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "runtime/base/listing.h"
#include "runtime/base/mounts.h"
#include "runtime/process/proc.h"

namespace gibbous {
namespace {

constexpr const char* kNamePrefix = "gibbous-";
constexpr mode_t kDirectoryMode = 0755;
constexpr std::uint64_t kCpuPeriodMicros = 100'000;
constexpr std::uint64_t kMillisPerUnit = 1000;
constexpr std::size_t kSmallFileBytes = 4096;
// A run of another keeper may be about to enter a younger group.
constexpr std::time_t kSweepAgeSeconds = 30;

Status failure(const std::string& path, int error) {
  return Status::error("cgroup", path + ": " + std::strerror(error));
}

Status write_file(const std::string& path, const std::string& text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return failure(path, errno);
  const ssize_t written = ::write(fd.get(), text.data(), text.size());
  return written == static_cast<ssize_t>(text.size()) ? Status() : failure(path, errno);
}

std::string read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kSmallFileBytes> text{};
  const ssize_t got = fd ? ::read(fd.get(), text.data(), text.size()) : 0;
  return {text.data(), static_cast<std::size_t>(got > 0 ? got : 0)};
}

std::uint64_t read_number(const std::string& path) {
  return std::strtoull(read_file(path).c_str(), nullptr, 10);
}

// Returns the number in the line "NAME NUMBER".
std::uint64_t read_counter(const std::string& path, std::string_view name) {
  const std::string text = read_file(path);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ') {
      return std::strtoull(line.data() + name.size(), nullptr, 10);
    }
    at = end + 1;
  }
  return 0;
}

bool is_old(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 &&
         std::time(nullptr) - status.st_mtime >= kSweepAgeSeconds;
}

// With the groups that a run has made below its own.
bool remove_group(const std::string& path, int depth = 4) {
  if (::rmdir(path.c_str()) == 0) return true;
  if (errno != EBUSY && errno != ENOTEMPTY) return false;
  Listing inside(depth > 0 ? path : "");
  while (const dirent* entry = inside.next()) {
    if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
    (void)remove_group(path + "/" + entry->d_name, depth - 1);
  }
  return ::rmdir(path.c_str()) == 0;
}

bool make_directory(const std::string& path) {
  return ::mkdir(path.c_str(), kDirectoryMode) == 0 || errno == EEXIST;
}

}  // namespace

std::string keeper_group_name(std::uint32_t keeper_number) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "%s%08x", kNamePrefix, keeper_number);
  return name.data();
}

Result<std::unique_ptr<RunGroup>> RunGroup::create(const CgroupPlaces& places,
                                                   const std::string& keeper_group,
                                                   std::uint32_t number, const TreeLimits& limits) {
  std::unique_ptr<RunGroup> group(new RunGroup());
  group->number_ = number;
  group->limits_ = limits;
  Directory* made = nullptr;
  if (limits.memory_bytes != 0 && group->usable(places.memory).ok()) {
    if (Status status = group->add(places.memory, keeper_group, number, "memory", &made); !status) {
      return status;
    }
    if (Status status = group->limit_memory(*made, limits.memory_bytes); !status) return status;
    group->memory_ = made;
    group->in_force_.memory = made->version;
  }
  if (limits.pids != 0 && group->usable(places.pids).ok()) {
    if (Status status = group->add(places.pids, keeper_group, number, "pids", &made); !status) {
      return status;
    }
    if (Status status = group->limit_pids(*made, limits.pids); !status) return status;
    group->pids_ = made;
    group->in_force_.pids = made->version;
  }
  if (limits.cpu_share_millis != 0 && group->usable(places.cpu).ok()) {
    if (Status status = group->add(places.cpu, keeper_group, number, "cpu", &made); !status) {
      return status;
    }
    if (Status status = group->limit_cpu(*made, limits.cpu_share_millis); !status) return status;
    group->in_force_.cpu_share = made->version;
  }
  group->needs_birthplace_ = static_cast<bool>(group->birthplace_);
  // Says whose a process is, and ends all of them at once. Limits may have made one already.
  if (!group->birthplace_ && places.kill.ok()) {
    const Status status = group->add(places.kill, keeper_group, number, "", &made);
    if (!status && !limits.any()) return status;
  }
  for (const auto& directory : group->directories_) {
    const bool kills = directory->version == LimitMeans::kCgroup2 &&
                       ::access((directory->path + "/cgroup.kill").c_str(), W_OK) == 0;
    if (kills) group->kill_ = directory.get();
  }
  return group;
}

// A process is in one group of version 2: what is delegated elsewhere cannot be had as well.
CgroupPlace RunGroup::usable(const CgroupPlace& place) const {
  const bool elsewhere =
      place.version == LimitMeans::kCgroup2 && !second_.empty() && place.directory != second_;
  return elsewhere ? CgroupPlace() : place;
}

bool RunGroup::open_again() {
  if (directories_.size() != 1 || needs_birthplace_ || killed_) return false;
  const std::string& path = directories_.front()->path;
  const UniqueFd list(::open((path + "/cgroup.procs").c_str(), O_RDONLY | O_CLOEXEC));
  char first = 0;
  struct stat directory {};
  // With groups below it, as a keeper in the run makes them, it is not empty.
  if (!list || ::read(list.get(), &first, 1) != 0 || ::stat(path.c_str(), &directory) != 0 ||
      directory.st_nlink > 2) {
    return false;
  }
  birthplace_.reset(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return static_cast<bool>(birthplace_);
}

RunGroup::~RunGroup() {
  (void)remove();
}

Status RunGroup::add(const CgroupPlace& place, const std::string& keeper_group,
                     std::uint32_t number, const char* controller, Directory** made) {
  const std::string parent = place.directory + "/" + keeper_group;
  const std::string path = parent + "/" + std::to_string(number);
  for (const auto& directory : directories_) {
    if (directory->path != path) continue;
    *made = directory.get();
    return {};
  }
  // Another process that cleans up may remove an empty parent in between.
  constexpr int kAttempts = 3;
  bool exists = false;
  for (int i = 0; i < kAttempts && !exists; ++i) {
    if (!make_directory(parent)) return failure(parent, errno);
    exists = make_directory(path);
  }
  if (!exists) return failure(path, errno);
  directories_.push_back(std::make_unique<Directory>(Directory{path, place.version}));
  if (place.version == LimitMeans::kCgroup2 && *controller != '\0') {
    for (const char* each : {"+memory", "+pids", "+cpu"}) {
      (void)write_file(parent + "/cgroup.subtree_control", each);
    }
  }
  const std::string procs = path + "/cgroup.procs";
  if (place.version == LimitMeans::kCgroup2) {
    birthplace_.reset(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!birthplace_) return failure(path, errno);
    second_ = place.directory;
    *made = directories_.back().get();
    return {};
  }
  UniqueFd entry(::open(procs.c_str(), O_WRONLY | O_CLOEXEC));
  if (!entry) return failure(procs, errno);
  entry_numbers_.push_back(entry.get());
  entries_.push_back(std::move(entry));
  *made = directories_.back().get();
  return {};
}

Status RunGroup::limit_memory(const Directory& group, std::uint64_t bytes) {
  const std::string number = std::to_string(bytes);
  if (group.version == LimitMeans::kCgroup2) {
    if (Status status = write_file(group.path + "/memory.max", number); !status) return status;
    (void)write_file(group.path + "/memory.swap.max", "0");
    // The whole run ends, not just one process that others wait for.
    (void)write_file(group.path + "/memory.oom.group", "1");
    UniqueFd events(::open((group.path + "/memory.events").c_str(), O_RDONLY | O_CLOEXEC));
    if (events) events_.push_back(std::move(events));
    return {};
  }
  if (Status status = write_file(group.path + "/memory.limit_in_bytes", number); !status) {
    return status;
  }
  (void)write_file(group.path + "/memory.memsw.limit_in_bytes", number);
  const UniqueFd control(
      ::open((group.path + "/memory.oom_control").c_str(), O_RDONLY | O_CLOEXEC));
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (control && event &&
      write_file(group.path + "/cgroup.event_control",
                 std::to_string(event.get()) + " " + std::to_string(control.get()))) {
    events_.push_back(std::move(event));
  }
  return {};
}

Status RunGroup::limit_cpu(const Directory& group, std::uint32_t share_millis) {
  const std::string period = std::to_string(kCpuPeriodMicros);
  const std::string quota = std::to_string(kCpuPeriodMicros * share_millis / kMillisPerUnit);
  if (group.version == LimitMeans::kCgroup2) {
    return write_file(group.path + "/cpu.max", quota + " " + period);
  }
  if (Status status = write_file(group.path + "/cpu.cfs_period_us", period); !status) return status;
  return write_file(group.path + "/cpu.cfs_quota_us", quota);
}

Status RunGroup::limit_pids(const Directory& group, std::uint32_t pids) {
  const Status status = write_file(group.path + "/pids.max", std::to_string(pids));
  UniqueFd events(::open((group.path + "/pids.events").c_str(), O_RDONLY | O_CLOEXEC));
  if (events) events_.push_back(std::move(events));
  return status;
}

void RunGroup::close_entries() {
  birthplace_.reset();
  entries_.clear();
  entry_numbers_.clear();
}

std::optional<LimitReached> RunGroup::reached() const {
  if (memory_ != nullptr) {
    const bool second = memory_->version == LimitMeans::kCgroup2;
    if (count_memory_kills({memory_->version, memory_->path}) > 0) {
      const char* peak = second ? "/memory.peak" : "/memory.max_usage_in_bytes";
      const std::uint64_t used = read_number(memory_->path + peak);
      return LimitReached{LimitKind::kMemory, limits_.memory_bytes,
                          used == 0 ? limits_.memory_bytes : used};
    }
  }
  if (pids_ != nullptr && read_counter(pids_->path + "/pids.events", "max") > 0) {
    return LimitReached{LimitKind::kPids, limits_.pids, std::uint64_t{limits_.pids} + 1};
  }
  return std::nullopt;
}

void RunGroup::kill() {
  killed_ = true;
  if (kill_ != nullptr) (void)write_file(kill_->path + "/cgroup.kill", "1");
}

bool RunGroup::remove() {
  close_entries();
  events_.clear();
  std::erase_if(directories_, [](const std::unique_ptr<Directory>& directory) {
    if (!remove_group(directory->path) && errno != ENOENT) return false;
    // The keeper's own group goes with its last run.
    (void)::rmdir(directory->path.substr(0, directory->path.rfind('/')).c_str());
    return true;
  });
  if (!directories_.empty()) return false;
  memory_ = pids_ = kill_ = nullptr;
  return true;
}

namespace {

std::set<std::string> directories_of(const CgroupPlaces& places) {
  std::set<std::string> directories;
  for (const CgroupPlace* place : {&places.memory, &places.cpu, &places.pids, &places.kill}) {
    if (place->ok()) directories.insert(place->directory);
  }
  return directories;
}

constexpr std::size_t kGroupsBytes = 8192;

// Returns the keeper's groups in version 2 in which processes are, wherever they lie: a keeper may
// have been moved, and then made them elsewhere than this process would.
std::set<std::string> directories_with_processes(const std::string& keeper_group) {
  std::set<std::string> groups;
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  const std::string name = "/" + keeper_group + "/";
  for (const pid_t pid : pids) {
    std::array<char, kGroupsBytes> text;
    if (!read_proc_file(pid, "cgroup", text) || !std::strstr(text.data(), name.c_str())) continue;
    const std::string group = version2_group(text.data());
    const std::size_t at = group.find(name);
    if (at != std::string::npos) groups.insert(group.substr(0, at + name.size() - 1));
  }
  std::set<std::string> directories;
  const std::string mounts = groups.empty() ? "" : read_small_file("/proc/self/mountinfo");
  for (const std::string& group : groups) {
    const std::string directory = version2_directory(mounts, group);
    if (!directory.empty()) directories.insert(directory);
  }
  return directories;
}

// Removes the groups of runs for which `may_go` returns true, and then the keeper's own. rmdir
// fails while something is in them.
template <typename MayGo>
bool remove_below(const std::string& keeper, MayGo may_go) {
  Listing runs(keeper);
  while (const dirent* run = runs.next()) {
    const std::string group = keeper + "/" + run->d_name;
    if (run->d_type == DT_DIR && run->d_name[0] != '.' && may_go(group)) {
      (void)remove_group(group);
    }
  }
  return !may_go(keeper) || ::rmdir(keeper.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

std::uint64_t count_memory_kills(const CgroupPlace& group) {
  if (!group.ok()) return 0;
  const bool second = group.version == LimitMeans::kCgroup2;
  return read_counter(group.directory + (second ? "/memory.events" : "/memory.oom_control"),
                      "oom_kill");
}

std::uint64_t memory_limit_of(const CgroupPlace& group) {
  constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62U;  // version 1 says such a number
  const bool second = group.version == LimitMeans::kCgroup2;
  const std::uint64_t limit =
      read_number(group.directory + (second ? "/memory.max" : "/memory.limit_in_bytes"));
  return limit < kNoLimit ? limit : 0;
}

std::optional<std::uint32_t> read_run_group(pid_t pid, const std::string& keeper_group) {
  std::array<char, kGroupsBytes> text;
  if (!read_proc_file(pid, "cgroup", text)) return std::nullopt;
  const std::string name = "/" + keeper_group + "/";
  const char* const found = std::strstr(text.data(), name.c_str());
  if (found == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(std::strtoul(found + name.size(), nullptr, 10));
}

void kill_run_groups(const CgroupPlaces& places, std::uint32_t keeper_number,
                     const std::function<bool(pid_t)>& is_spared) {
  // A run with limits may have its group elsewhere in version 2.
  std::set<std::string> keepers = directories_with_processes(keeper_group_name(keeper_number));
  for (const CgroupPlace* place : {&places.kill, &places.memory, &places.cpu, &places.pids}) {
    if (place->version != LimitMeans::kCgroup2) continue;
    keepers.insert(place->directory + "/" + keeper_group_name(keeper_number));
  }
  for (const std::string& keeper : keepers) {
    Listing runs(keeper);
    while (const dirent* run = runs.next()) {
      if (run->d_type != DT_DIR || run->d_name[0] == '.') continue;
      const std::string group = keeper + "/" + run->d_name;
      // Without those in groups below it.
      std::istringstream listed(read_file(group + "/cgroup.procs"));
      const std::vector<pid_t> pids{std::istream_iterator<pid_t>(listed), {}};
      if (pids.empty() || std::any_of(pids.begin(), pids.end(), is_spared)) continue;
      (void)write_file(group + "/cgroup.kill", "1");
    }
  }
}

bool remove_keeper_groups(const CgroupPlaces& places, std::uint32_t keeper_number) {
  bool all = true;
  for (const std::string& directory : directories_of(places)) {
    const std::string keeper = directory + "/" + keeper_group_name(keeper_number);
    all = remove_below(keeper, [](const std::string&) { return true; }) && all;
  }
  return all;
}

void sweep_groups(const CgroupPlaces& places) {
  for (const std::string& directory : directories_of(places)) {
    Listing list(directory);
    while (const dirent* entry = list.next()) {
      if (!std::string_view(entry->d_name).starts_with(kNamePrefix)) continue;
      (void)remove_below(directory + "/" + entry->d_name, is_old);
    }
  }
}

}  // namespace gibbous
