// A program that draws 60 frames a second with everything going on at once: what its polls cost it,
// and what plain libuv costs it for the processes alone.
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gibbous/runtime.h"
#include "tests/bench/harness.h"

namespace gibbous::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kFramesPerSecond = 60;
constexpr std::chrono::microseconds kFrame{1'000'000 / kFramesPerSecond};
constexpr Amount<int> kSeconds{60, 1};
constexpr Amount<std::size_t> kTouched{std::size_t{4} << 30, std::size_t{64} << 20};
constexpr int kFloods = 8;
constexpr int kStartsPerSecond = 100;
constexpr std::size_t kCommandBytes = 1'000'000;
constexpr PollBudget kBudget{std::size_t{64} << 10, std::chrono::microseconds(1000),
                             std::chrono::microseconds(2000)};
constexpr double kMaxP99 = 2.5;
constexpr double kMaxPoll = 4;

double thread_cpu_ms() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// What each frame's turn took, and what was going on in the worst ones.
class Turns {
 public:
  template <typename Turn>
  void measure(std::string doing, Turn turn) {
    const double cpu = thread_cpu_ms();
    const auto begin = Steady::now();
    turn();
    cpu_.push_back(thread_cpu_ms() - cpu);
    wall_.push_back(std::chrono::duration<double, std::milli>(Steady::now() - begin).count());
    worst_.push_back({cpu_.back(), std::move(doing)});
    std::sort(worst_.rbegin(), worst_.rend());
    if (worst_.size() > kShown) worst_.pop_back();
  }
  std::size_t count() const { return cpu_.size(); }
  double cpu(double share) const { return percentile(cpu_, share); }
  double wall(double share) const { return percentile(wall_, share); }
  std::string worst() const {
    std::string text;
    for (const auto& [millis, doing] : worst_) {
      std::array<char, 16> number;
      std::snprintf(number.data(), number.size(), "%.2f", millis);
      text += (text.empty() ? "" : ", ") + std::string(number.data()) + " ms " + doing;
    }
    return text;
  }

 private:
  static constexpr std::size_t kShown = 8;
  std::vector<double> cpu_;
  std::vector<double> wall_;
  std::vector<std::pair<double, std::string>> worst_;
};

// Pages that make a fork of this process dear.
class Touched {
 public:
  Touched() : size_(kTouched) {
    memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    constexpr std::size_t kPage = 4096;
    for (std::size_t at = 0; at < size_; at += kPage) static_cast<char*>(memory_)[at] = 1;
  }
  ~Touched() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, size_);
  }
  Touched(const Touched&) = delete;
  Touched& operator=(const Touched&) = delete;

 private:
  std::size_t size_;
  void* memory_ = nullptr;
};

// A copy of the shipped scripts with one tool more, whose file changes.
class Scripts {
 public:
  Scripts()
      : directory_(fs::temp_directory_path() / ("gibbous-frames-" + std::to_string(::getpid()))) {
    fs::remove_all(directory_);
    fs::copy(program_directory() + "/share/gibbous/scripts/", directory_,
             fs::copy_options::recursive);
    std::ofstream(directory_ / "runaway.lua") << "return { name = 'runaway', tools = { tool { name "
                                                 "= 'runaway', description = 'Never ends.',"
                                                 " permission = 'read', input = schema.object {}, "
                                                 "run = function() while true do end end } } }\n";
    std::ifstream init(directory_ / "init.lua");
    init_.assign(std::istreambuf_iterator<char>(init), {});
    const std::string list = "toolsets = {";
    const std::size_t at = init_.find(list);
    if (at != std::string::npos) init_.insert(at + list.size(), " require 'runaway',");
    change();
  }
  ~Scripts() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  Scripts(const Scripts&) = delete;
  Scripts& operator=(const Scripts&) = delete;
  void change() { std::ofstream(directory_ / "init.lua") << init_ << "-- " << ++changes_ << "\n"; }
  std::string path() const { return directory_.string(); }

 private:
  fs::path directory_;
  std::string init_;
  int changes_ = 0;
};

// The parts of the load that Gibbous adds to plain processes.
class Load {
 public:
  Load(Runtime& runtime, Scripts& scripts) : runtime_(runtime), scripts_(scripts) {
    long_command_ = R"({"command":"true # )" + std::string(kCommandBytes, 'x') + R"("})";
    for (int i = 0; i < kFloods; ++i) {
      runtime_.call({"bg_start", R"({"command":"exec yes"})"},
                    [this](const CallResult& result) { flood_ = id_of(result); });
    }
  }
  // What happens in this frame besides the floods.
  std::string act(int frame) {
    std::string doing;
    const auto do_one = [&](const char* name, const std::string& tool, std::string arguments) {
      doing += (doing.empty() ? "" : "+") + std::string(name);
      runtime_.call({tool, std::move(arguments)}, [this](const CallResult& result) {
        if (result.ok) ++done_;
      });
    };
    // 100 a second in 60 frames.
    const int due = (frame + 1) * kStartsPerSecond / kFramesPerSecond -
                    frame * kStartsPerSecond / kFramesPerSecond;
    for (int i = 0; i < due; ++i) {
      runtime_.call(
          {"bg_start", R"({"command":"exec sleep 60"})"}, [this](const CallResult& result) {
            if (!result.ok) return;
            ++started_;
            runtime_.call({"bg_kill", R"({"id":")" + id_of(result) + R"(","signal":"SIGKILL"})"},
                          [this](const CallResult& killed) { killed_ += killed.ok ? 1 : 0; });
          });
    }
    const int second = frame / kFramesPerSecond;
    switch (frame % kFramesPerSecond) {
      case 10:
        if (!flood_.empty())
          do_one("output", "bg_output", R"({"id":")" + flood_ + R"(","tail":100000})");
        break;
      case 25:
        doing = "reload";
        scripts_.change();
        break;
      case 40:
        if (second % 5 == 1) do_one("1 MB command", "bg_start", long_command_);
        break;
      case 50:
        if (second % 5 == 2) do_one("runaway", "runaway", "{}");
        break;
      default:
        break;
    }
    return doing.empty() ? "frame " + std::to_string(frame % kFramesPerSecond) : doing;
  }
  int started() const { return started_; }
  int killed() const { return killed_; }

 private:
  static std::string id_of(const CallResult& result) {
    const std::string key = "\"id\":\"";
    const std::size_t at = result.data.find(key);
    if (at == std::string::npos) return "";
    return result.data.substr(at + key.size(),
                              result.data.find('"', at + key.size()) - at - key.size());
  }

  Runtime& runtime_;
  Scripts& scripts_;
  std::string long_command_;
  std::string flood_;
  int done_ = 0;
  int started_ = 0;
  int killed_ = 0;
};

// A loop that does not keep up draws fewer frames.
template <typename Frame>
void run_frames(Frame frame) {
  auto next = Steady::now();
  const auto end = next + std::chrono::seconds(kSeconds);
  for (int i = 0; i < kSeconds * kFramesPerSecond && Steady::now() < end; ++i) {
    frame(i);
    next += kFrame;
    std::this_thread::sleep_until(next);
  }
}

// The processes alone, as a program does it that knows libuv: read what one budget allows, start
// and kill.
class PlainLoop {
 public:
  PlainLoop() {
    uv_loop_init(&loop_);
    for (int i = 0; i < kFloods; ++i) start({"/usr/bin/yes"}, true);
  }
  ~PlainLoop() {
    for (const auto& child : children_) uv_process_kill(&child->process, SIGKILL);
    stopping_ = true;
    while (uv_run(&loop_, UV_RUN_ONCE) != 0) {
    }
    uv_loop_close(&loop_);
  }
  PlainLoop(const PlainLoop&) = delete;
  PlainLoop& operator=(const PlainLoop&) = delete;

  void turn(int starts) {
    left_ = kBudget.bytes;
    for (const auto& child : children_) {
      if (child->reads) uv_read_start(stream(*child), allocate, on_read);
    }
    for (const std::size_t old = quiet_.size();
         quiet_.size() < old + static_cast<std::size_t>(starts);) {
      start({"/usr/bin/sleep", "60"}, false);
    }
    while (quiet_.size() > static_cast<std::size_t>(starts)) {
      uv_process_kill(&quiet_.front()->process, SIGKILL);
      quiet_.pop_front();
    }
    uv_run(&loop_, UV_RUN_NOWAIT);
  }

 private:
  struct Child {
    uv_process_t process = {};
    uv_pipe_t out = {};
    bool reads = false;
    PlainLoop* owner = nullptr;
    std::vector<char> buffer;
  };
  static uv_stream_t* stream(Child& child) { return reinterpret_cast<uv_stream_t*>(&child.out); }

  void start(const std::vector<std::string>& words, bool reads) {
    auto child = std::make_unique<Child>();
    child->owner = this;
    child->reads = reads;
    child->buffer.resize(std::size_t{64} << 10);
    uv_pipe_init(&loop_, &child->out, 0);
    child->out.data = child->process.data = child.get();
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::array<uv_stdio_container_t, 3> stdio = {};
    stdio[0].flags = UV_IGNORE;
    stdio[1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
    stdio[1].data.stream = stream(*child);
    stdio[2].flags = UV_IGNORE;
    uv_process_options_t options = {};
    options.file = argv[0];
    options.args = argv.data();
    options.stdio = stdio.data();
    options.stdio_count = 3;
    options.exit_cb = [](uv_process_t* process, std::int64_t, int) {
      uv_close(reinterpret_cast<uv_handle_t*>(process), nullptr);
      auto* of = static_cast<Child*>(process->data);
      if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&of->out)) == 0) {
        uv_close(reinterpret_cast<uv_handle_t*>(&of->out), nullptr);
      }
    };
    if (uv_spawn(&loop_, &child->process, &options) != 0) return;
    if (!reads) quiet_.push_back(child.get());
    children_.push_back(std::move(child));
  }
  static void allocate(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    auto* child = static_cast<Child*>(handle->data);
    *buffer = uv_buf_init(child->buffer.data(), static_cast<unsigned>(child->buffer.size()));
  }
  static void on_read(uv_stream_t* from, ssize_t size, const uv_buf_t*) {
    auto* child = static_cast<Child*>(from->data);
    PlainLoop& self = *child->owner;
    if (size <= 0) {
      uv_read_stop(from);
      return;
    }
    self.left_ -= std::min(self.left_, static_cast<std::size_t>(size));
    if (self.left_ > 0) return;
    for (const auto& each : self.children_) {
      if (each->reads) uv_read_stop(stream(*each));
    }
  }

  uv_loop_t loop_ = {};
  std::vector<std::unique_ptr<Child>> children_;
  std::deque<Child*> quiet_;
  std::size_t left_ = 0;
  bool stopping_ = false;
};

}  // namespace

void bench_frames(Report& report) {
  report.section("60 frames a second, everything at once");
  const Touched touched;
  Turns ours;
  int started = 0;
  int killed = 0;
  {
    Scripts scripts;
    RuntimeOptions options;
    options.mode = "dangerous";
    options.scripts_dir = scripts.path();
    options.min_concurrent = 1000;
    options.lua_time = std::chrono::minutes(1);
    options.state_dir = scripts.path() + "-state";
    auto made = Runtime::create(options);
    if (!made) {
      report.note(made.status().message());
      return;
    }
    Load load(**made, scripts);
    run_frames([&](int frame) {
      const std::string doing = load.act(frame);
      ours.measure(doing, [&] { (*made)->poll(kBudget); });
    });
    started = load.started();
    killed = load.killed();
    made->reset();
    std::error_code ignored;
    fs::remove_all(options.state_dir, ignored);
  }
  Turns plain;
  {
    PlainLoop loop;
    run_frames([&](int frame) {
      const int due = (frame + 1) * kStartsPerSecond / kFramesPerSecond -
                      frame * kStartsPerSecond / kFramesPerSecond;
      plain.measure("", [&] { loop.turn(due); });
    });
  }
  const std::string beside = "libuv, processes alone";
  report.add({"a poll's processor time, p50", "ms", ours.cpu(0.5), plain.cpu(0.5), beside, {}, {}});
  report.add({"a poll's processor time, p99", "ms", ours.cpu(0.99), {}, "", {}, kMaxP99});
  report.add({"a poll's processor time, most", "ms", ours.cpu(1), {}, "", {}, kMaxPoll});
  report.add({"a poll on the clock, p99", "ms", ours.wall(0.99), plain.wall(0.99), beside, {}, {}});
  report.add({"a turn of libuv: processor time, p99", "ms", plain.cpu(0.99), {}, "", {}, {}});
  report.add({"frames that were drawn",
              "",
              static_cast<double>(ours.count()),
              static_cast<double>(plain.count()),
              beside,
              {},
              {}});
  report.add({"starts a second", "", static_cast<double>(started) / kSeconds, {}, "", {}, {}});
  report.add({"kills a second", "", static_cast<double>(killed) / kSeconds, {}, "", {}, {}});
  report.note("the worst polls: " + ours.worst());
}

}  // namespace gibbous::bench
