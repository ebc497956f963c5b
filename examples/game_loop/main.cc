// A game-style host that draws sixty frames a second and polls Gibbous in each. It starts children
// that flood their output, waits for a line of another one, and prints the frame times with the
// share of Gibbous. It has one thread; poll() never blocks and keeps to its budget.
//
//   game_loop [SECONDS]        3 by default
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "gibbous/runtime.h"

namespace {

using Clock = std::chrono::steady_clock;
using Micros = std::chrono::microseconds;

constexpr int kFramesPerSecond = 60;
constexpr Micros kFrame{1'000'000 / kFramesPerSecond};
constexpr int kFloods = 3;
// Scripts get a tenth of a frame, and output 256 KiB; the rest waits in the children's pipes.
constexpr gibbous::PollBudget kBudget{std::size_t{256} << 10, Micros{1'500}, Micros{3'000}};

struct Times {
  std::vector<double> millis;
  void add(Clock::duration time) {
    millis.push_back(std::chrono::duration<double, std::milli>(time).count());
  }
  double at(double share) {
    std::sort(millis.begin(), millis.end());
    return millis[static_cast<std::size_t>(share * static_cast<double>(millis.size() - 1))];
  }
};

void call(gibbous::Runtime& runtime, const std::string& tool, const std::string& arguments) {
  runtime.call({tool, arguments}, [tool](const gibbous::CallResult& result) {
    std::printf("%-10s %s\n", tool.c_str(),
                (result.ok ? result.text : result.code + ": " + result.message).c_str());
  });
}

// Stands for the host's own work in a frame.
void simulate_game() {
  volatile double world = 0;
  for (int i = 0; i < 20'000; ++i) world = world + static_cast<double>(i) * 0.5;
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  gibbous::RuntimeOptions options;
  options.mode = "auto";
  auto created = gibbous::Runtime::create(options);
  if (!created) {
    std::fprintf(stderr, "%s\n", created.status().message().c_str());
    return 1;
  }
  gibbous::Runtime& runtime = **created;
  bool server_is_ready = false;

  for (int i = 0; i < kFloods; ++i)
    call(runtime, "bg_start", R"({"command":"exec yes","label":"flood"})");
  runtime.call({"bg_start", R"({"command":"sleep 0.5; echo listening; exec sleep 60"})"},
               [&](const gibbous::CallResult& started) {
                 const std::string key = "id=";
                 const std::size_t at = started.text.find(key);
                 if (!started.ok || at == std::string::npos) return;
                 const std::string id = started.text.substr(at + key.size(), 8);
                 runtime.call({"wait_for", R"({"id":")" + id + R"(","output_regex":"listening"})"},
                              [&](const gibbous::CallResult& waited) {
                                server_is_ready = waited.ok;
                                std::printf("%-10s %s\n", "wait_for", waited.text.c_str());
                              });
               });

  Times frames;
  Times polls;
  auto next_frame = Clock::now();
  for (int frame = 0; frame < seconds * kFramesPerSecond; ++frame) {
    const auto begin = Clock::now();
    runtime.poll(kBudget);
    polls.add(Clock::now() - begin);
    simulate_game();
    frames.add(Clock::now() - begin);
    next_frame += kFrame;
    std::this_thread::sleep_until(next_frame);
  }
  std::printf("%d frames at %d a second, %d children flooding\n", seconds * kFramesPerSecond,
              kFramesPerSecond, kFloods);
  std::printf("  poll:  median %.2f ms  p99 %.2f ms  max %.2f ms\n", polls.at(0.5), polls.at(0.99),
              polls.at(1));
  std::printf("  frame: median %.2f ms  p99 %.2f ms  max %.2f ms  (budget %.2f ms)\n",
              frames.at(0.5), frames.at(0.99), frames.at(1),
              std::chrono::duration<double, std::milli>(kFrame).count());
  return server_is_ready ? 0 : 1;
}
