// Adds up the figures from one read of /proc/PID/stat for each process.
#include "runtime/process/usage.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "runtime/process/proc.h"
#include "runtime/process/usage_ports.h"
#include "runtime/process/waiting.h"

namespace gibbous {
namespace {

constexpr std::size_t kUsageStatBytes = 1024;
constexpr std::size_t kUsageNameBytes = 32;
// Fields of proc(5), counted from the state, which is the first after the name.
constexpr std::size_t kUserTime = 11;
constexpr std::size_t kSystemTime = 12;
constexpr std::size_t kChildUserTime = 13;
constexpr std::size_t kChildSystemTime = 14;
constexpr std::size_t kThreads = 17;
constexpr std::size_t kResidentPages = 21;
constexpr std::size_t kFields = kResidentPages + 1;

struct Cost {
  char state = '?';
  std::uint32_t threads = 0;
  std::uint64_t pages = 0;
  std::uint64_t ticks = 0;

  bool alive() const { return state != 'Z' && state != 'X' && state != 'x'; }
};

std::optional<Cost> read_cost(pid_t pid) {
  std::array<char, kUsageStatBytes> text;
  if (!read_proc_file(pid, "stat", text)) return std::nullopt;
  // The name in parentheses may contain anything, even parentheses: the last one ends it.
  const char* name_end = std::strrchr(text.data(), ')');
  if (name_end == nullptr || name_end[1] != ' ') return std::nullopt;
  std::array<std::uint64_t, kFields> numbers{};
  std::string_view rest(name_end + 2);
  Cost cost;
  for (std::size_t i = 0; i < kFields; ++i) {
    const std::string_view field = rest.substr(0, rest.find(' '));
    if (field.empty()) return std::nullopt;
    if (i == 0) cost.state = field.front();
    // None of the fields used can be negative.
    std::from_chars(field.data(), field.data() + field.size(), numbers[i]);
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
  }
  cost.threads = static_cast<std::uint32_t>(numbers[kThreads]);
  cost.pages = numbers[kResidentPages];
  cost.ticks = numbers[kUserTime] + numbers[kSystemTime] + numbers[kChildUserTime] +
               numbers[kChildSystemTime];
  return cost;
}

std::chrono::microseconds duration_of(std::uint64_t ticks) {
  constexpr std::uint64_t kMicrosPerSecond = 1'000'000;
  const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return std::chrono::microseconds(ticks * (kMicrosPerSecond / ticks_per_second));
}

// Adds "sleep (pid 42)" to a list.
void add_name(pid_t pid, std::string* names) {
  std::array<char, kUsageNameBytes> name;
  if (!read_proc_file(pid, "comm", name)) return;
  *names +=
      (names->empty() ? "" : ", ") + std::string(name.data(), std::strcspn(name.data(), "\n"));
  *names += " (pid " + std::to_string(pid) + ")";
}

}  // namespace

TreeUsage read_usage(const UsageQuestion& question) {
  return UsageSurvey().read(question);
}

UsageSurvey::UsageSurvey() : ports_(std::make_unique<ListeningPorts>()) {}

UsageSurvey::~UsageSurvey() = default;

TreeUsage UsageSurvey::read(const UsageQuestion& question) {
  TreeUsage usage;
  std::uint64_t pages = 0;
  std::uint64_t ticks = 0;
  std::vector<LivingProcess> living;
  const auto pids = question.pids.first(std::min(question.pids.size(), kMaxUsageProcesses));
  living.reserve(pids.size());
  for (const pid_t pid : pids) {
    const std::optional<Cost> cost = read_cost(pid);
    if (!cost) continue;
    ticks += cost->ticks;
    if (!cost->alive()) continue;
    ++usage.processes;
    if (cost->state == 'T') ++usage.stopped;
    usage.threads += cost->threads;
    pages += cost->pages;
    living.push_back({pid, cost->state, cost->threads});
    if (question.names && usage.processes <= kMaxUsageNames) add_name(pid, &usage.names);
  }
  usage.rss_bytes = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  usage.cpu = duration_of(ticks);
  if (question.ports) usage.ports = ports_->read(living);
  if (question.waiting) {
    const InputWait wait =
        find_input_wait(living, {question.stdin_device, question.stdin_inode}, WaitSource::kBest);
    usage.waiting_pid = wait.pid;
    usage.waiting_fd = wait.fd;
    usage.waiting_stopped = wait.stopped;
  }
  return usage;
}

}  // namespace gibbous
