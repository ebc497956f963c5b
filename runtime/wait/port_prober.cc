// One exact query per address and tick: 2 µs each, see SockDiag.
#include "runtime/wait/port_prober.h"

#include <utility>

namespace gibbous {
namespace {

constexpr Millis kInterval{10};
// Used after kEagerFor without a new query, and for many queries; still within the 20 ms in which a
// listener must be reported.
constexpr Millis kPatientInterval{16};
constexpr Millis kEagerFor{10'000};
constexpr std::size_t kEagerQueries = 8;
constexpr unsigned kTicksPerWideLook = 16;

}  // namespace

PortProber::~PortProber() {
  deadlines_.cancel(timer_);
}

bool PortProber::available() {
  if (!diag_ && !unavailable_) {
    auto opened = SockDiag::open();
    unavailable_ = !opened;
    if (opened) diag_.emplace(std::move(opened.value()));
  }
  return diag_.has_value();
}

std::optional<Listener> PortProber::look(const Query& query) {
  return look_at(query, true);
}

std::optional<Listener> PortProber::look_at(const Query& query, bool all_loopback) {
  if (!diag_) return std::nullopt;
  for (const Address& address : query.to) {
    // The next tick repeats a query without an answer (the kernel is out of memory).
    if (auto found = diag_->find(address, query.port); found && *found) return **found;
  }
  if (!query.any_loopback || !all_loopback) return std::nullopt;
  if (const auto listeners = diag_->list(query.port)) {
    for (const Listener& listener : listeners.value()) {
      if (listener.address.is_loopback()) return listener;
    }
  }
  return std::nullopt;
}

std::vector<Listener> PortProber::look_at_all(int port) {
  std::vector<Listener> found;
  if (!diag_) return found;
  if (auto listeners = diag_->list(port)) found = std::move(listeners.value());
  std::erase_if(found, [](const Listener& listener) {
    return !listener.address.is_loopback() && !listener.address.is_unspecified();
  });
  return found;
}

PortProber::Ticket PortProber::add(Query query) {
  newest_ = clock_.now();
  queries_.push_back(std::move(query));
  arm();
  return std::prev(queries_.end());
}

void PortProber::remove(Ticket ticket) {
  queries_.erase(ticket);
  if (queries_.empty()) deadlines_.cancel(timer_);
}

void PortProber::arm() {
  if (timer_ != 0 || queries_.empty()) return;
  const bool eager = clock_.now() - newest_ < kEagerFor && queries_.size() <= kEagerQueries;
  timer_ = deadlines_.after(eager ? kInterval : kPatientInterval, [this] { tick(); });
}

void PortProber::tick() {
  timer_ = 0;
  const bool wide = ++ticks_ % kTicksPerWideLook == 0;
  for (Ticket next = queries_.begin(); next != queries_.end();) {
    Query& query = *next++;  // the callback may remove its own query
    if (!query.on_found) continue;
    const auto found = look_at(query, wide);
    if (!found) continue;
    const auto on_found = std::exchange(query.on_found, nullptr);
    on_found(*found);
  }
  arm();
}

}  // namespace gibbous
