#include "bindings/host/turn_watch.h"

#include <fcntl.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace gibbous::host {
namespace {

constexpr std::uint64_t kNanosPerMilli = 1'000'000;
constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
constexpr std::uint64_t kLongestWait = 1000 * kNanosPerMilli;
constexpr std::uint64_t kLongestWork = 50 * kNanosPerMilli;

std::uint64_t cpu_of_thread() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kNanosPerSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::unique_ptr<TurnWatch> TurnWatch::create(uv_loop_s* loop) {
  const char* const path = std::getenv("GIBBOUS_TURN_WATCH");
  if (path == nullptr || *path != '/') return nullptr;
  auto watch = std::make_unique<TurnWatch>();
  watch->loop_ = loop;
  watch->path_ = path;
  watch->schedstat_.reset(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  (void)uv_loop_configure(loop, UV_METRICS_IDLE_TIME);
  return watch;
}

std::uint64_t TurnWatch::waited() const {
  std::array<char, 128> bytes{};
  const ssize_t size = ::pread(schedstat_.get(), bytes.data(), bytes.size(), 0);
  const std::string_view text(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  // "CPU TIME, TIME WITHOUT A PROCESSOR, TURNS"
  const std::size_t space = text.find(' ');
  std::uint64_t delay = 0;
  if (space != std::string_view::npos) {
    std::from_chars(text.data() + space + 1, text.data() + text.size(), delay);
  }
  return delay + uv_metrics_idle_time(loop_);
}

TurnWatch::Turn::Turn(TurnWatch* watch, const char* what) : watch_(watch), what_(what) {
  if (watch_ == nullptr) return;
  wall_ = uv_hrtime();
  waited_ = watch_->waited();
  cpu_ = cpu_of_thread();
}

TurnWatch::Turn::~Turn() {
  if (watch_ == nullptr) return;
  const std::uint64_t wall = uv_hrtime() - wall_;
  if (wall < kLongestWork) return;
  const std::uint64_t waited = watch_->waited() - waited_;
  const std::uint64_t busy = wall - std::min(wall, waited);
  const std::uint64_t cpu = cpu_of_thread() - cpu_;
  if (cpu < kLongestWork && busy - std::min(busy, cpu) < kLongestWait) return;
  const std::string line = std::string(what_) + ": " + std::to_string(busy / kNanosPerMilli) +
                           " ms, of these " + std::to_string(cpu / kNanosPerMilli) +
                           " ms of processor time, in process " + std::to_string(::getpid()) + "\n";
  const UniqueFd file(
      ::open(watch_->path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (file) (void)!::write(file.get(), line.data(), line.size());
}

}  // namespace gibbous::host
