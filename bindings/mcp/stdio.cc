// See stdio.h. A turn of the loop lets the runtime work for a bounded time, writes what it can,
// then sleeps until the client, the runtime or the program needs attention.
#include "bindings/mcp/stdio.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/mcp/log_text.h"
#include "bindings/mcp/runtime_backend.h"
#include "bindings/mcp/server.h"
#include "bindings/mcp/task_table.h"
#include "bindings/stdio/line_splitter.h"
#include "bindings/stdio/output_queue.h"

namespace gibbous::mcp {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
// Above this the client is not reading: the server stops reading requests, and drops optional
// messages.
constexpr std::size_t kCongestedBytes = std::size_t{1} * 1024 * 1024;
constexpr std::size_t kMaxLogBytes = std::size_t{64} * 1024;
// The end of input ends the server within 100 ms. Quick calls may still be answered.
constexpr milliseconds kEndOfInputGrace(25);
// How long the last messages may take to leave when the pipe is full.
constexpr milliseconds kLastWordsGrace(15);

constexpr short kReaderGone = POLLERR | POLLHUP | POLLNVAL;

int poll_timeout(const std::optional<milliseconds>& limit) {
  constexpr milliseconds kLongest(60'000);
  if (!limit) return -1;
  return static_cast<int>(std::clamp(*limit, milliseconds(0), kLongest).count());
}

// True when no program adds requests to it.
bool is_batch(int input_fd) {
  struct stat file {};
  if (::fstat(input_fd, &file) == 0 && S_ISREG(file.st_mode)) return true;
  pollfd input{input_fd, POLLRDHUP, 0};
  return ::poll(&input, 1, 0) > 0;
}

class StdioTransport final : public MessageSink {
 public:
  StdioTransport(DrivenBackend& backend, const StdioOptions& options, std::string version)
      : backend_(backend),
        options_(options),
        output_(options.output_fd),
        log_(options.log_fd),
        tasks_(backend_, clock_, options.structured),
        server_(backend_, *this, clock_,
                ServerOptions{.version = std::move(version),
                              .structured = options.structured,
                              .tasks = &tasks_,
                              .client = options.client,
                              .task_after = options.task_after}),
        lines_({[this](std::string_view line) { server_.receive(line); },
                [this] { server_.receive_oversized(stdio::kMaxLineBytes); }}) {
    backend_.on_event([this](const Event& event) { on_event(event); });
    backend_.on_ask([this](AskRequest request) { server_.on_ask(std::move(request)); },
                    [this](const std::string& question) { server_.on_withdrawn(question); });
    backend_.on_input([this](InputRequest request) { server_.on_input(std::move(request)); },
                      [this](const std::string& question) { server_.on_withdrawn(question); });
    const std::string complaint = backend_.complaint();
    if (!complaint.empty()) say("every call is denied: " + complaint);
  }
  ~StdioTransport() override {
    backend_.on_event(nullptr);
    backend_.on_ask(nullptr, nullptr);
    backend_.on_input(nullptr, nullptr);
  }

  int run();

  void send(std::string message) override { output_.push(message); }
  bool congested() const override { return output_.pending_bytes() > kCongestedBytes; }

 private:
  void sleep(bool more);
  void read_input();
  void client_has_gone();
  bool finished() const;
  void stop();
  void on_event(const Event& event);
  void say(const std::string& text);

  DrivenBackend& backend_;
  const StdioOptions options_;
  const SystemClock clock_;
  stdio::OutputQueue output_;
  stdio::OutputQueue log_;
  TaskTable tasks_;
  Server server_;
  stdio::LineSplitter lines_;
  std::array<char, kReadBytes> buffer_;
  bool stopping_ = false;
  bool input_ended_ = false;
  bool is_batch_ = false;     // StdioOptions::on_serving
  bool client_gone_ = false;  // which may be before all of its input was read
  // The server ends then at the latest: its client has gone, and does not wait.
  std::optional<SteadyClock::time_point> end_deadline_;
};

int StdioTransport::run() {
  is_batch_ = is_batch(options_.input_fd);
  if (options_.on_serving) options_.on_serving(is_batch_);
  while (true) {
    const bool more = backend_.poll(output_.pending_bytes() == 0);
    server_.expire();
    tasks_.expire();
    output_.flush();
    log_.flush();
    if (finished()) break;
    sleep(more);
  }
  stop();
  return 0;
}

bool StdioTransport::finished() const {
  if (stopping_ || output_.broken()) return true;
  if (!client_gone_) return false;
  const bool idle =
      input_ended_ && server_.requests_in_flight() == 0 && output_.pending_bytes() == 0;
  return idle || (end_deadline_ && SteadyClock::now() >= *end_deadline_);
}

void StdioTransport::sleep(bool more) {
  std::optional<milliseconds> limit = backend_.next_timeout();
  for (const std::optional<Nanos>& left : {server_.next_timeout(), tasks_.next_timeout()}) {
    if (!left) continue;
    limit = std::min(limit.value_or(milliseconds::max()), std::chrono::ceil<milliseconds>(*left));
  }
  if (more) limit = milliseconds(0);
  if (end_deadline_) {
    const auto left = std::chrono::ceil<milliseconds>(*end_deadline_ - SteadyClock::now());
    limit = limit ? std::min(*limit, left) : left;
  }
  // Stop reading from a client that does not read its answers, but notice when it goes.
  const bool reading = !input_ended_ && !congested();
  const bool watching = reading || !client_gone_;
  const short input_events = reading ? POLLIN | POLLRDHUP : POLLRDHUP;
  enum { kInput, kOutput, kRuntime, kStop, kCount };
  std::array<pollfd, kCount> entries{};
  entries[kInput] = {watching ? options_.input_fd : -1, input_events, 0};
  const short output_events = output_.pending_bytes() > 0 ? POLLOUT : 0;
  entries[kOutput] = {output_.fd(), output_events, 0};
  entries[kRuntime] = {backend_.backend_fd(), POLLIN, 0};
  entries[kStop] = {options_.stop_fd, POLLIN, 0};
  if (::poll(entries.data(), entries.size(), poll_timeout(limit)) <= 0) return;

  stopping_ = entries[kStop].revents != 0 || (entries[kOutput].revents & kReaderGone) != 0;
  const short input = entries[kInput].revents;
  if ((input & ~POLLIN) != 0) client_has_gone();
  if (input != 0 && reading) read_input();
}

void StdioTransport::read_input() {
  const ssize_t count = ::read(options_.input_fd, buffer_.data(), buffer_.size());
  if (count > 0) {
    lines_.feed({buffer_.data(), static_cast<std::size_t>(count)});
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    lines_.finish();
    input_ended_ = true;
    client_has_gone();
    server_.ask_no_more();
  }
}

void StdioTransport::client_has_gone() {
  if (std::exchange(client_gone_, true) || is_batch_) return;
  end_deadline_ = SteadyClock::now() + kEndOfInputGrace;
  backend_.announce_end();
}

void StdioTransport::stop() {
  server_.shut_down();
  tasks_.shut_down();
  if (options_.on_hand_over) options_.on_hand_over();
  // End the children before sending the last messages to the client.
  backend_.hand_over();
  log_.flush();
  const auto deadline = SteadyClock::now() + kLastWordsGrace;
  output_.flush();
  while (output_.pending_bytes() > 0 && SteadyClock::now() < deadline) {
    pollfd entry{output_.fd(), POLLOUT, 0};
    const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyClock::now());
    if (::poll(&entry, 1, poll_timeout(left)) <= 0) break;
    output_.flush();
  }
}

void StdioTransport::on_event(const Event& event) {
  server_.on_event(event);
  const std::string text = log_text(event);
  if (!text.empty()) say(text);
}

void StdioTransport::say(const std::string& text) {
  if (log_.pending_bytes() < kMaxLogBytes) log_.push("gibbous mcp: " + text);
}

}  // namespace

int serve_stdio(DrivenBackend& backend, const StdioOptions& options, std::string version) {
  // The transport lives on the heap because of its read buffer.
  const auto transport = std::make_unique<StdioTransport>(backend, options, std::move(version));
  return transport->run();
}

int run_stdio(Runtime& runtime, const StdioOptions& options) {
  RuntimeBackend backend(runtime);
  return serve_stdio(backend, options, gibbous::version());
}

}  // namespace gibbous::mcp
