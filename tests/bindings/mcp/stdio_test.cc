// The transport over real pipes and sockets with a fake runtime: how it ends, how it handles a
// client that does not read, and that only the protocol reaches its output.
#include "bindings/mcp/stdio.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "tests/bindings/mcp/fake_backend.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::mcp {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kExitLimit(100);
constexpr milliseconds kPatience(10'000);

// Its clock and its calls do not advance; a call named "echo" ends at the next poll(), and one
// named "late" when it is told to.
class DrivenFake final : public DrivenBackend {
 public:
  DrivenFake() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    fake_.add("never");
    fake_.add("late");
  }
  // Answers the open looks at runs: there is none. Any thread.
  void end_look() {
    look_is_over_ = true;
    wake();
  }
  // Ends the calls named "late". Any thread.
  void end_late() {
    late_is_over_ = true;
    wake();
  }

  std::vector<ToolInfo> tools() const override { return fake_.tools(); }
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress) override {
    const bool ends = request.tool == "echo";
    const bool is_late = request.tool == "late";
    const CallId id = fake_.call(std::move(request), std::move(on_done), std::move(on_progress));
    if (ends) due_.push_back(id);
    if (is_late) late_.push_back(id);
    return id;
  }
  bool cancel(CallId call) override { return fake_.cancel(call); }
  void list_runs(std::function<void(std::vector<std::string>)> on_done) override {
    fake_.list_runs(std::move(on_done));
  }
  Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) override {
    return fake_.excerpt(run, budget_tokens);
  }

  void on_event(std::function<void(const Event&)> handler) override {
    handler_ = std::move(handler);
  }
  void on_ask(std::function<void(AskRequest)> handler,
              std::function<void(const std::string& id)>) override {
    ask_handler = std::move(handler);
  }
  bool poll(bool) override {
    for (const CallId id : std::exchange(due_, {})) fake_.finish_text(id, answer);
    if (late_is_over_) {
      for (const CallId id : std::exchange(late_, {})) fake_.finish_text(id, answer);
    }
    if (look_is_over_) {
      for (const auto& look : std::exchange(fake_.run_lists, {})) look({});
    }
    if (on_poll && handler_) on_poll(handler_);
    return false;
  }
  int backend_fd() const override { return wake_.get(); }
  std::optional<milliseconds> next_timeout() const override { return std::nullopt; }
  std::string complaint() const override { return said; }
  void hand_over() override { handed_over_at = SteadyClock::now(); }

  std::function<void(AskRequest)> ask_handler;
  std::string answer = "answer";
  std::string said;
  std::function<void(const std::function<void(const Event&)>&)> on_poll;
  std::optional<SteadyClock::time_point> handed_over_at;

 private:
  void wake() const {
    const std::uint64_t one = 1;
    REQUIRE(::write(wake_.get(), &one, sizeof one) == sizeof one);
  }

  FakeBackend fake_;
  UniqueFd wake_;
  std::vector<CallId> due_;
  std::vector<CallId> late_;
  std::atomic<bool> late_is_over_{false};
  std::atomic<bool> look_is_over_{false};
  std::function<void(const Event&)> handler_;
};

struct Ends {
  UniqueFd ours;
  UniqueFd theirs;
};

Ends input_pipe() {
  std::array<int, 2> fds{};
  REQUIRE(::pipe2(fds.data(), O_CLOEXEC) == 0);
  return {UniqueFd(fds[1]), UniqueFd(fds[0])};
}
Ends output_pipe() {
  std::array<int, 2> fds{};
  REQUIRE(::pipe2(fds.data(), O_CLOEXEC) == 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}
Ends socket_pair() {
  std::array<int, 2> fds{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// A server on a thread of its own, as a client sees one.
class Served {
 public:
  explicit Served(bool sockets = false)
      : input_(sockets ? socket_pair() : input_pipe()),
        output_(sockets ? socket_pair() : output_pipe()),
        log_(output_pipe()),
        stop_(::eventfd(0, EFD_CLOEXEC)) {
    ::signal(SIGPIPE, SIG_IGN);
  }
  ~Served() {
    if (thread_.joinable()) {
      stop();
      thread_.join();
    }
  }

  void start() {
    thread_ = std::thread([this] {
      StdioOptions options;
      options.input_fd = input_.theirs.get();
      options.output_fd = output_.theirs.get();
      options.log_fd = log_.theirs.get();
      options.stop_fd = stop_.get();
      exit_code = serve_stdio(backend, options, "1.2.3");
      ended_at = SteadyClock::now();
      output_.theirs.reset();
      log_.theirs.reset();
    });
  }
  void join() { thread_.join(); }

  void write(const std::string& text) {
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t count =
          ::write(input_.ours.get(), text.data() + written, text.size() - written);
      REQUIRE(count > 0);
      written += static_cast<std::size_t>(count);
    }
  }
  void say(const Json& message) { write(message.dump() + "\n"); }

  // Returns the next line, or "" at the end of the output.
  std::string line() { return next_line(output_.ours.get(), unread_); }
  std::string log_line() { return next_line(log_.ours.get(), unread_log_); }
  Json message() { return Json::parse(line()); }
  // Nothing comes, and the output stays open.
  bool is_silent_for(milliseconds time) {
    pollfd entry{output_.ours.get(), POLLIN, 0};
    return unread_.empty() && ::poll(&entry, 1, static_cast<int>(time.count())) == 0;
  }
  void wait_for_output() {
    pollfd entry{output_.ours.get(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, static_cast<int>(kPatience.count())) == 1);
  }

  void end_input() { input_.ours.reset(); }
  // From here on its input is a file with these lines, as in `gibbous mcp < requests`.
  void read_file(const testing::TempDir& dir, const std::string& text) {
    dir.write("requests", text);
    input_.theirs.reset(::open((dir.path() + "/requests").c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(input_.theirs.get() >= 0);
  }
  void close_output() { output_.ours.reset(); }
  void stop() {
    const std::uint64_t one = 1;
    REQUIRE(::write(stop_.get(), &one, sizeof one) == sizeof one);
  }

  DrivenFake backend;
  std::atomic<int> exit_code{-1};
  SteadyClock::time_point ended_at;

 private:
  static std::string next_line(int fd, std::string& unread) {
    while (true) {
      const std::size_t end = unread.find('\n');
      if (end != std::string::npos) {
        std::string line = unread.substr(0, end);
        unread.erase(0, end + 1);
        return line;
      }
      pollfd entry{fd, POLLIN, 0};
      if (::poll(&entry, 1, static_cast<int>(kPatience.count())) != 1) {
        throw std::runtime_error("no line came");
      }
      std::array<char, 65536> buffer;
      const ssize_t count = ::read(fd, buffer.data(), buffer.size());
      if (count <= 0) return {};
      unread.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

  Ends input_;
  Ends output_;
  Ends log_;
  UniqueFd stop_;
  std::string unread_;
  std::string unread_log_;
  std::thread thread_;
};

Json call(const Json& id, const std::string& tool) {
  return Fixture::modern(id, "tools/call", Json{{"name", tool}});
}

TEST_CASE("requests are answered over pipes and over sockets") {
  for (const bool sockets : {false, true}) {
    Served served(sockets);
    served.start();
    served.say(Fixture::modern(1, "server/discover"));
    CHECK(served.message()["result"]["_meta"][kMetaServerInfo]["version"] == "1.2.3");
    served.say(call("c", "echo"));
    CHECK(served.message()["id"] == "c");
    served.end_input();
    CHECK(served.line().empty());
    served.join();
    CHECK(served.exit_code == 0);
  }
}

TEST_CASE("joined and split writes are read alike") {
  Served served;
  served.start();
  const std::string one = Fixture::request(1, "ping").dump();
  const std::string two = Fixture::request(2, "ping").dump();
  served.write(one + "\r\n\n" + two.substr(0, 7));
  CHECK(served.message()["id"] == 1);
  served.write(two.substr(7) + "\n");
  CHECK(served.message()["id"] == 2);
}

TEST_CASE("the end of input ends the server within the limit, even during calls") {
  for (const bool busy : {false, true}) {
    Served served;
    served.start();
    if (busy) served.say(call(1, "never"));
    served.say(Fixture::request(2, "ping"));
    CHECK(served.message()["id"] == 2);
    const auto began = SteadyClock::now();
    served.end_input();
    served.join();
    CHECK(served.ended_at - began < kExitLimit);
    REQUIRE(served.backend.handed_over_at);
    CHECK(served.line().empty());
  }
}

TEST_CASE("a request before the end of input is answered when it is nearly done") {
  Served served;
  served.write(Fixture::request(1, "ping").dump() + "\n" + call(2, "echo").dump() + "\n" +
               Fixture::request(3, "ping").dump());
  served.end_input();
  served.start();
  // The last one had no line end: it counts once the input has ended.
  for (const int id : {1, 2, 3}) CHECK(served.message()["id"] == id);
  served.join();
}

// From a shell, no client waits to kill it.
TEST_CASE("requests from a file, or that ended before the start, are all answered") {
  const testing::TempDir dir;
  const std::string requests =
      call(1, "late").dump() + "\n" +
      Fixture::modern(2, "resources/read", {{"uri", "gibbous://runs/x"}}).dump() + "\n" +
      Fixture::request(3, "ping").dump() + "\n";
  for (const std::string from : {"file", "pipe", "socket"}) {
    INFO(from);
    Served served(from == "socket");
    if (from == "file") {
      served.read_file(dir, requests);
    } else {
      served.write(requests);
      served.end_input();
    }
    served.start();
    CHECK(served.message()["id"] == 3);
    CHECK(served.is_silent_for(kExitLimit));
    served.backend.end_late();
    CHECK(served.message()["id"] == 1);
    // A look at runs counts as well.
    CHECK(served.is_silent_for(kExitLimit));
    served.backend.end_look();
    CHECK(served.message()["id"] == 2);
    served.join();
    CHECK(served.line().empty());
  }
}

TEST_CASE("a stop and the loss of the reader end a server whose requests are from a file") {
  const testing::TempDir dir;
  for (const bool sockets : {false, true}) {
    for (const bool stopped : {false, true}) {
      Served served(sockets);
      served.read_file(dir, call(1, "never").dump() + "\n" + Fixture::request(2, "ping").dump());
      served.start();
      CHECK(served.message()["id"] == 2);
      const auto began = SteadyClock::now();
      if (stopped) {
        served.stop();
      } else {
        served.close_output();
      }
      served.join();
      CHECK(served.ended_at - began < kExitLimit);
    }
  }
}

TEST_CASE("a stop ends the server within the limit and closes its subscriptions") {
  Served served;
  served.start();
  served.say(call(1, "never"));
  served.say(Fixture::modern("s", "subscriptions/listen",
                             Json{{"notifications", {{"toolsListChanged", true}}}}));
  CHECK(served.message()["method"] == "notifications/subscriptions/acknowledged");
  const auto began = SteadyClock::now();
  served.stop();
  served.join();
  CHECK(served.ended_at - began < kExitLimit);
  REQUIRE(served.backend.handed_over_at);
  const Json ended = served.message();
  CHECK(ended["id"] == "s");
  CHECK(ended["result"]["resultType"] == "complete");
  CHECK(served.line().empty());
}

TEST_CASE("a client that stops reading its answers ends it") {
  for (const bool sockets : {false, true}) {
    Served served(sockets);
    served.start();
    served.close_output();
    served.say(Fixture::request(1, "ping"));
    served.join();
    CHECK(served.backend.handed_over_at.has_value());
  }
}

// The server takes requests until its answers pile up, then leaves the rest in the pipe.
TEST_CASE("the server stops reading from a client that does not read") {
  for (const bool sockets : {false, true}) {
    Served served(sockets);
    constexpr int kCalls = 200;
    constexpr std::size_t kAnswerBytes = 64 * 1024;
    served.backend.answer = std::string(kAnswerBytes, 'x');
    served.start();
    std::thread writer([&served] {
      for (int id = 0; id < kCalls; ++id) {
        // Long enough that not all of them fit the pipe's buffer.
        Json request = call(id, "echo");
        request["params"]["arguments"]["padding"] = std::string(8000, 'p');
        served.say(request);
      }
    });
    for (int id = 0; id < kCalls; ++id) {
      const Json answer = served.message();
      CHECK(answer["id"] == id);
    }
    writer.join();
  }
}

TEST_CASE("a stop is obeyed while the client does not read") {
  Served served;
  served.backend.answer = std::string(std::size_t{2} * 1024 * 1024, 'x');
  served.start();
  served.say(call(1, "echo"));
  served.wait_for_output();
  const auto began = SteadyClock::now();
  served.stop();
  served.join();
  CHECK(served.ended_at - began < kExitLimit);
}

TEST_CASE("the end of input is obeyed while the client does not read") {
  Served served;
  served.backend.answer = std::string(std::size_t{2} * 1024 * 1024, 'x');
  served.start();
  served.say(call(1, "echo"));
  served.wait_for_output();
  const auto began = SteadyClock::now();
  served.end_input();
  served.join();
  CHECK(served.ended_at - began < kExitLimit);
}

TEST_CASE("script errors go to the log, not to the protocol") {
  Served served;
  served.backend.said = "policies/init.lua:3: broken";
  bool told = false;
  served.backend.on_poll = [&told](const auto& handler) {
    if (std::exchange(told, true)) return;
    handler(Event{"reload_failed", "",
                  R"({"event":"reload_failed","file":"a.lua","line":3,"message":"no"})"});
    handler(Event{"log", "", R"({"event":"log","level":"warn","message":"careful"})"});
    handler(Event{"run_started", "", R"({"event":"run_started"})"});
  };
  served.start();
  CHECK(served.log_line() == "gibbous mcp: every call is denied: policies/init.lua:3: broken");
  CHECK(served.log_line() == "gibbous mcp: reload failed, the old scripts stay: a.lua:3: no");
  CHECK(served.log_line() == "gibbous mcp: warn: careful");
  served.end_input();
  CHECK(served.line().empty());
}

TEST_CASE("a line of more than 10 MiB is refused and the next one is answered") {
  Served served;
  served.start();
  std::thread writer([&served] {
    served.write(std::string(std::size_t{11} * 1024 * 1024, 'x') + "\n");
    served.say(Fixture::request(1, "ping"));
  });
  const Json refused = served.message();
  CHECK(refused["error"]["code"] == kInvalidRequest);
  CHECK(!refused.contains("id"));
  CHECK(served.message()["id"] == 1);
  writer.join();
}

TEST_CASE("a result over the line limit is an error, and one just under it arrives") {
  Served served;
  served.backend.answer = std::string(std::size_t{9} * 1024 * 1024, 'x');
  served.start();
  served.say(call(1, "echo"));
  CHECK(served.message()["result"]["isError"] == false);
  served.end_input();
  served.join();

  Served larger;
  larger.backend.answer = std::string(std::size_t{10} * 1024 * 1024, 'x');
  larger.start();
  larger.say(call(1, "echo"));
  CHECK(larger.message()["result"]["isError"] == true);
}

}  // namespace
}  // namespace gibbous::mcp
