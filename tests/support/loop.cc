// See loop.h.
#include "tests/support/loop.h"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

// Tests leave no state behind: the default state directory is one of this test program's own, which
// its children share.
const struct StateHome {
  StateHome() : path("/tmp/gibbous-test-state-" + std::to_string(::getpid())) {
    ::setenv("XDG_STATE_HOME", path.c_str(), 1);
  }
  ~StateHome() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::string path;
} kStateHome;

}  // namespace

namespace gibbous::testing {

Loop::Loop() {
  uv_loop_init(&loop_);
  uv_timer_init(&loop_, &tick_);
}

Loop::~Loop() {
  uv_close(reinterpret_cast<uv_handle_t*>(&tick_), nullptr);
  // What is closing may take a while; a handle that keeps the loop alive was forgotten.
  uv_timer_t limit;
  uv_timer_init(&loop_, &limit);
  uv_timer_start(
      &limit, [](uv_timer_t* timer) { uv_stop(timer->loop); },
      static_cast<std::uint64_t>(std::chrono::milliseconds(kPatience).count()), 0);
  uv_unref(reinterpret_cast<uv_handle_t*>(&limit));
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_close(reinterpret_cast<uv_handle_t*>(&limit), nullptr);
  uv_run(&loop_, UV_RUN_NOWAIT);
  // A closed loop must not be closed again.
  if (uv_loop_close(&loop_) == UV_EBUSY) {
    uv_print_all_handles(&loop_, stderr);
    std::abort();
  }
}

bool Loop::until(const std::function<bool()>& done, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  // The tick keeps the loop alive and lets `done` check things that are not events of the loop.
  constexpr std::uint64_t kTickMillis = 5;
  uv_timer_start(
      &tick_, [](uv_timer_t*) {}, kTickMillis, kTickMillis);
  bool reached = done();
  while (!reached && std::chrono::steady_clock::now() < deadline) {
    uv_run(&loop_, UV_RUN_ONCE);
    reached = done();
  }
  uv_timer_stop(&tick_);
  return reached;
}

void Loop::turn() {
  constexpr std::uint64_t kNever = 1'000'000'000;
  uv_timer_start(
      &tick_, [](uv_timer_t*) {}, kNever, kNever);
  uv_run(&loop_, UV_RUN_NOWAIT);
  uv_timer_stop(&tick_);
}

void Loop::run_for(std::chrono::milliseconds time) {
  (void)until([] { return false; }, time);
}

std::string program_directory() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return std::filesystem::path(std::string(path, static_cast<std::size_t>(length)))
      .parent_path()
      .string();
}

std::string fixture(const std::string& name) {
  return program_directory() + "/fixture_" + name;
}

TempDir::TempDir() {
  path_ = (std::filesystem::temp_directory_path() / "gibbous-test-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) std::abort();
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

}  // namespace gibbous::testing
