#include "bindings/host/turn_watch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <system_error>

#include "runtime/base/quiet_thread.h"

namespace gibbous::host {
namespace {

constexpr std::uint64_t kNanosPerMilli = 1'000'000;
constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
#ifdef GIBBOUS_SANITIZED
constexpr std::uint64_t kSlowness = 10;
#else
constexpr std::uint64_t kSlowness = 1;
#endif
constexpr std::uint64_t kLongestWait = kSlowness * 1000 * kNanosPerMilli;
constexpr std::uint64_t kLongestWork = kSlowness * 100 * kNanosPerMilli;

std::uint64_t cpu_of_thread() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kNanosPerSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// The part of it that the kernel has worked for the thread.
std::uint64_t system_of_thread() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_stime.tv_sec) * kNanosPerSecond +
         static_cast<std::uint64_t>(used.ru_stime.tv_usec) * 1000;
}

// A thread that wakes ten times a second, for as long as the process lives. It is late when the
// machine stands still; no turn of a loop makes it so.
class Pulse {
 public:
  static Pulse& of_process() {
    static std::atomic<Pulse*> pulse{nullptr};
    Pulse* own = pulse;
    if (own == nullptr || own->process_ != ::getpid()) pulse = own = new Pulse;  // a fork has none
    return *own;
  }

  // Nanoseconds that it was late, among them those of now.
  std::uint64_t late() const { return beats_ ? late_ + late_since(last_) : 0; }

 private:
  static constexpr std::uint64_t kEvery = 100 * kNanosPerMilli;
  static constexpr std::uint64_t kLate = 200 * kNanosPerMilli;  // less is the scheduler's

  Pulse() {
    try {
      quiet_thread([this] { beat(); }).detach();
    } catch (const std::system_error&) {
      beats_ = false;
    }
  }
  [[noreturn]] void beat() {
    for (;;) {
      const timespec pause{0, static_cast<long>(kEvery)};
      ::nanosleep(&pause, nullptr);
      late_ += late_since(last_);
      last_ = uv_hrtime();
    }
  }
  static std::uint64_t late_since(std::uint64_t last) {
    const std::uint64_t passed = uv_hrtime() - last;
    return passed >= kEvery + kLate ? passed - kEvery : 0;
  }

  const pid_t process_ = ::getpid();
  bool beats_ = true;  // false: there is no thread
  std::atomic<std::uint64_t> last_ = uv_hrtime();
  std::atomic<std::uint64_t> late_ = 0;
};

std::uint64_t number_of(const std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::unique_ptr<TurnWatch> TurnWatch::create(uv_loop_s* loop) {
  const char* const path = std::getenv("GIBBOUS_TURN_WATCH");
  if (path == nullptr || *path != '/') return nullptr;
  auto watch = std::make_unique<TurnWatch>();
  watch->loop_ = loop;
  watch->path_ = path;
  (void)Pulse::of_process();
  watch->schedstat_.reset(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  watch->stat_.reset(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
  (void)uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
  return watch;
}

std::uint64_t TurnWatch::waited() const {
  std::array<char, 128> bytes{};
  const ssize_t size = ::pread(schedstat_.get(), bytes.data(), bytes.size(), 0);
  const std::string_view text(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  // "CPU TIME, TIME WITHOUT A PROCESSOR, TURNS"
  const std::size_t space = text.find(' ');
  const std::uint64_t delay =
      space == std::string_view::npos ? 0 : number_of(text.substr(space + 1));
  return delay + uv_metrics_idle_time(loop_) + Pulse::of_process().late();
}

std::uint64_t TurnWatch::taken() const {
  std::array<char, 256> bytes{};
  const ssize_t size = ::pread(stat_.get(), bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  // "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", in ticks
  constexpr int kIrq = 6;
  constexpr int kSteal = 8;
  std::uint64_t ticks = 0;
  for (int field = 0; field <= kSteal; ++field) {
    if (field >= kIrq) ticks += number_of(text);
    text.remove_prefix(std::min(text.find(' '), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return ticks * (kNanosPerSecond / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

TurnWatch::Turn::Turn(TurnWatch* watch, const char* what) : watch_(watch), what_(what) {
  if (watch_ == nullptr) return;
  wall_ = uv_hrtime();
  waited_ = watch_->waited();
  taken_ = watch_->taken();
  system_ = system_of_thread();
  cpu_ = cpu_of_thread();
}

TurnWatch::Turn::~Turn() {
  if (watch_ == nullptr) return;
  const std::uint64_t wall = uv_hrtime() - wall_;
  if (wall < kLongestWork) return;
  const std::uint64_t waited = watch_->waited() - waited_;
  const std::uint64_t busy = wall - std::min(wall, waited);
  const std::uint64_t charged = cpu_of_thread() - cpu_;
  const std::uint64_t cpu = charged - std::min(charged, watch_->taken() - taken_);
  if (cpu < kLongestWork && busy - std::min(busy, cpu) < kLongestWait) return;
  const std::string line = std::string(what_) + ": " + std::to_string(busy / kNanosPerMilli) +
                           " ms, of these " + std::to_string(cpu / kNanosPerMilli) +
                           " ms of processor time (the kernel's: " +
                           std::to_string((system_of_thread() - system_) / kNanosPerMilli) +
                           " ms), in process " + std::to_string(::getpid()) + "\n";
  const UniqueFd file(
      ::open(watch_->path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (file) (void)!::write(file.get(), line.data(), line.size());
}

}  // namespace gibbous::host
