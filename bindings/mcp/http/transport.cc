// See transport.h. A turn of the loop is that of the stdio transport: the runtime works for a
// bounded time, what can be written is written, then the thread sleeps until the clients, the
// runtime or the program need attention.
#include "bindings/mcp/http/transport.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bindings/mcp/log_text.h"
#include "bindings/mcp/runtime_backend.h"

namespace gibbous::mcp::http {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxLogBytes = std::size_t{64} * 1024;
// How long the last messages may take to leave.
constexpr milliseconds kLastWordsGrace(15);

int poll_timeout(const std::optional<milliseconds>& limit) {
  constexpr milliseconds kLongest(60'000);
  if (!limit) return -1;
  return static_cast<int>(std::clamp(*limit, milliseconds(0), kLongest).count());
}

void shorten(std::optional<milliseconds>& limit, const std::optional<Nanos>& other) {
  if (!other) return;
  limit = std::min(limit.value_or(milliseconds::max()), std::chrono::ceil<milliseconds>(*other));
}

}  // namespace

Transport::Transport(DrivenBackend& backend, HttpOptions options, const Clock& clock,
                     std::string version)
    : backend_(backend),
      options_(std::move(options)),
      log_(options_.log_fd),
      endpoint_(backend_, options_.session, options_.limits, clock,
                ServerOptions{.version = std::move(version),
                              .structured = options_.structured,
                              .task_after = options_.task_after}) {
  backend_.on_event([this](const Event& event) { on_event(event); });
  backend_.on_ask([this](AskRequest request) { endpoint_.on_ask(std::move(request)); },
                  [this](const std::string& question) { endpoint_.on_withdrawn(question); });
  backend_.on_input([this](InputRequest request) { endpoint_.on_input(std::move(request)); },
                    [this](const std::string& question) { endpoint_.on_withdrawn(question); });
  const std::string complaint = backend_.complaint();
  if (!complaint.empty()) say("every call is denied: " + complaint);
}

Transport::~Transport() {
  backend_.on_event(nullptr);
  backend_.on_ask(nullptr, nullptr);
  backend_.on_input(nullptr, nullptr);
}

Result<std::unique_ptr<Transport>> Transport::create(DrivenBackend& backend, HttpOptions options,
                                                     const Clock& clock, std::string version) {
  std::unique_ptr<Transport> made(
      new Transport(backend, std::move(options), clock, std::move(version)));
  auto front_end = FrontEnd::create(made->endpoint_, made->options_.limits, clock);
  if (!front_end) return front_end.status();
  made->front_end_ = std::move(*front_end);
  for (Listener& listener : made->options_.listeners) {
    if (Status status = made->front_end_->listen(std::move(listener)); !status) return status;
  }
  return made;
}

bool Transport::turn(std::optional<milliseconds> limit) {
  const bool more = backend_.poll(front_end_->unsent_bytes() == 0);
  endpoint_.tidy();
  front_end_->settle();
  log_.flush();
  if (!sleep(more, limit)) return false;
  front_end_->work();
  front_end_->settle();
  return true;
}

bool Transport::sleep(bool more, std::optional<milliseconds> limit) {
  if (const auto runtime = backend_.next_timeout()) {
    limit = std::min(limit.value_or(milliseconds::max()), *runtime);
  }
  shorten(limit, endpoint_.next_timeout());
  shorten(limit, front_end_->next_deadline());
  if (more) limit = milliseconds(0);
  enum { kClients, kRuntime, kStop, kCount };
  std::array<pollfd, kCount> entries{};
  entries[kClients] = {front_end_->fd(), POLLIN, 0};
  entries[kRuntime] = {backend_.backend_fd(), POLLIN, 0};
  entries[kStop] = {options_.stop_fd, POLLIN, 0};
  return ::poll(entries.data(), entries.size(), poll_timeout(limit)) <= 0 ||
         entries[kStop].revents == 0;
}

void Transport::stop() {
  front_end_->stop_listening();
  endpoint_.shut_down();
  if (options_.on_hand_over) options_.on_hand_over();
  // End the children before sending the last messages to the clients.
  backend_.hand_over();
  log_.flush();
  using SteadyClock = std::chrono::steady_clock;
  const auto deadline = SteadyClock::now() + kLastWordsGrace;
  front_end_->settle();
  while (front_end_->unsent_bytes() > 0 && SteadyClock::now() < deadline) {
    pollfd entry{front_end_->fd(), POLLIN, 0};
    const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyClock::now());
    if (::poll(&entry, 1, poll_timeout(left)) <= 0) break;
    front_end_->work();
    front_end_->settle();
  }
}

void Transport::on_event(const Event& event) {
  endpoint_.on_event(event);
  const std::string text = log_text(event);
  if (!text.empty()) say(text);
}

void Transport::say(const std::string& text) {
  if (log_.pending_bytes() < kMaxLogBytes) log_.push("gibbous mcp: " + text);
}

Result<int> run_http(Runtime& runtime, HttpOptions options) {
  RuntimeBackend backend(runtime, options.make_page);
  const SystemClock clock;
  auto transport = Transport::create(backend, std::move(options), clock, gibbous::version());
  if (!transport) return transport.status();
  while ((*transport)->turn()) {
  }
  (*transport)->stop();
  return 0;
}

}  // namespace gibbous::mcp::http
