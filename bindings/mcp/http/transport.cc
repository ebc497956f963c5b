// See transport.h. A turn of the loop is that of the stdio transport: the runtime works for a
// bounded time, what can be written is written, then the thread sleeps until the clients, the
// runtime or the program need attention.
#include "bindings/mcp/http/transport.h"

#include <algorithm>
#include <utility>

#include "bindings/mcp/log_text.h"

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

void let_go(DrivenBackend& backend) {
  backend.on_event(nullptr);
  backend.on_ask(nullptr, nullptr);
  backend.on_input(nullptr, nullptr);
}

void shorten(std::optional<milliseconds>& limit, const std::optional<Nanos>& other) {
  if (!other) return;
  limit = std::min(limit.value_or(milliseconds::max()), std::chrono::ceil<milliseconds>(*other));
}

}  // namespace

struct Transport::Served {
  Served(DrivenBackend& runtime, const ClientOptions& client, const HttpOptions& options,
         const Clock& clock, const std::string& version)
      : name(client.name),
        backend(runtime),
        endpoint(runtime, client.session, options.limits, clock,
                 ServerOptions{.version = version,
                               .structured = options.structured,
                               .asks_client = client.asks_client}) {}

  // How the log calls it.
  std::string prefix() const { return name.empty() ? std::string() : name + ": "; }

  const std::string name;
  DrivenBackend& backend;
  Endpoint endpoint;
};

Transport::Transport(HttpOptions options, const Clock& clock, std::string version)
    : options_(std::move(options)),
      clock_(clock),
      version_(std::move(version)),
      log_(options_.log_fd) {}

Transport::~Transport() {
  for (const auto& each : served_) let_go(each->backend);
}

Result<std::unique_ptr<Transport>> Transport::create(DrivenBackend& backend, HttpOptions options,
                                                     const Clock& clock, std::string version) {
  std::unique_ptr<Transport> made(new Transport(std::move(options), clock, std::move(version)));
  ClientOptions own;
  own.session = made->options_.session;
  made->serve(backend, std::move(own));
  auto front_end = FrontEnd::create(made->served_.front()->endpoint, made->options_.limits, clock);
  if (!front_end) return front_end.status();
  made->front_end_ = std::move(*front_end);
  for (Listener& listener : made->options_.listeners) {
    if (Status status = made->front_end_->listen(std::move(listener)); !status) return status;
  }
  return made;
}

void Transport::serve(DrivenBackend& backend, ClientOptions options) {
  served_.push_back(std::make_unique<Served>(backend, options, options_, clock_, version_));
  Served* const made = served_.back().get();
  Endpoint* const endpoint = &made->endpoint;
  backend.on_event([this, made](const Event& event) {
    made->endpoint.on_event(event);
    const std::string text = log_text(event);
    if (!text.empty()) say(made->prefix() + text);
  });
  const auto withdraw = [endpoint](const std::string& question) {
    endpoint->on_withdrawn(question);
  };
  backend.on_ask([endpoint](AskRequest request) { endpoint->on_ask(std::move(request)); },
                 withdraw);
  backend.on_input([endpoint](InputRequest request) { endpoint->on_input(std::move(request)); },
                   withdraw);
  const std::string complaint = backend.complaint();
  if (!complaint.empty()) say(made->prefix() + "every call is denied: " + complaint);
}

void Transport::add_client(DrivenBackend& backend, ClientOptions options) {
  std::string digest = std::move(options.digest);
  serve(backend, std::move(options));
  front_end_->principals().put(served_.back()->endpoint, std::move(digest));
}

Transport::Served* Transport::find(const std::string& name) {
  for (const auto& each : served_) {
    if (each != served_.front() && each->name == name) return each.get();
  }
  return nullptr;
}

void Transport::change_token(const std::string& name, std::string digest) {
  Served* const client = find(name);
  if (client == nullptr) return;
  front_end_->principals().put(client->endpoint, std::move(digest));
  front_end_->end_requests(client->endpoint);
}

void Transport::remove_client(const std::string& name, std::function<void()> on_closed) {
  Served* const client = find(name);
  if (client == nullptr) return;
  front_end_->principals().remove(client->endpoint);
  client->endpoint.shut_down();
  front_end_->end_requests(client->endpoint);
  DrivenBackend& backend = client->backend;
  let_go(backend);
  served_.erase(std::find_if(served_.begin(), served_.end(),
                             [client](const auto& each) { return each.get() == client; }));
  const auto closed = std::make_shared<bool>(false);
  leaving_.push_back({&backend, closed, std::move(on_closed)});
  backend.close([closed] { *closed = true; });
}

// Returns whether there is more to do at once.
bool Transport::work_on_runtimes() {
  bool more = false;
  const bool passed_on = front_end_->unsent_bytes() == 0;
  for (const auto& each : served_) {
    more = each->backend.poll(passed_on) || more;
    each->endpoint.tidy();
  }
  for (std::size_t at = 0; at < leaving_.size();) {
    if (!*leaving_[at].closed) more = leaving_[at].backend->poll(true) || more;
    if (!*leaving_[at].closed) {
      ++at;
      continue;
    }
    const Leaving gone = std::move(leaving_[at]);
    leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(at));
    if (gone.on_closed) gone.on_closed();
  }
  return more;
}

bool Transport::turn(std::optional<milliseconds> limit) {
  const bool more = work_on_runtimes();
  front_end_->settle();
  log_.flush();
  if (!sleep(more, limit)) return false;
  front_end_->work();
  front_end_->settle();
  return true;
}

bool Transport::sleep(bool more, std::optional<milliseconds> limit) {
  enum { kClients, kStop, kWatch };
  waits_ = {
      {front_end_->fd(), POLLIN, 0}, {options_.stop_fd, POLLIN, 0}, {options_.watch_fd, POLLIN, 0}};
  const auto wait_for = [&](const DrivenBackend& backend) {
    waits_.push_back({backend.backend_fd(), POLLIN, 0});
    if (const auto runtime = backend.next_timeout()) {
      limit = std::min(limit.value_or(milliseconds::max()), *runtime);
    }
  };
  for (const auto& each : served_) {
    wait_for(each->backend);
    shorten(limit, each->endpoint.next_timeout());
  }
  for (const Leaving& each : leaving_) wait_for(*each.backend);
  shorten(limit, front_end_->next_deadline());
  if (more) limit = milliseconds(0);
  if (::poll(waits_.data(), waits_.size(), poll_timeout(limit)) <= 0) return true;
  if (waits_[kStop].revents != 0) return false;
  if (waits_[kWatch].revents != 0 && options_.on_watch) options_.on_watch();
  return true;
}

void Transport::stop() {
  front_end_->stop_listening();
  for (const auto& each : served_) each->endpoint.shut_down();
  if (options_.on_hand_over) options_.on_hand_over();
  // End the children before sending the last messages to the clients.
  for (const auto& each : served_) each->backend.hand_over();
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

void Transport::say(const std::string& text) {
  if (log_.pending_bytes() < kMaxLogBytes) log_.push("gibbous mcp: " + text);
}

}  // namespace gibbous::mcp::http
