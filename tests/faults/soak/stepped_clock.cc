// A clock of the day that a test sets: loaded before a program (LD_PRELOAD), it adds the number
// of nanoseconds that the file STEPPED_CLOCK holds (a 64-bit integer, in the machine's byte order)
// to the real time. The file is mapped, so that a change counts at once in all programs. Monotonic
// clocks stay.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t kNanosASecond = 1'000'000'000;

// Returns null without the file; programs then have the real time.
const std::atomic<std::int64_t>* map_offset() {
  const char* const path = std::getenv("STEPPED_CLOCK");
  if (path == nullptr) return nullptr;
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const memory = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) return nullptr;
  return static_cast<const std::atomic<std::int64_t>*>(memory);
}

std::int64_t offset() {
  static const std::atomic<std::int64_t>* const shared = map_offset();
  return shared == nullptr ? 0 : shared->load(std::memory_order_relaxed);
}

timespec stepped(timespec time) {
  const std::int64_t all = time.tv_sec * kNanosASecond + time.tv_nsec + offset();
  return {all / kNanosASecond, all % kNanosASecond};
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto error = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (error == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    *time = stepped(*time);
  }
  return error;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now;
  if (const int error = clock_gettime(CLOCK_REALTIME, &now); error != 0) return error;
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* time) noexcept {
  timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (time != nullptr) *time = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
