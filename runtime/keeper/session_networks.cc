#include "runtime/keeper/session_networks.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gibbous::keeper {
namespace {

constexpr int kMaxLosses = 5;

}  // namespace

std::vector<std::uint16_t> ports_of(const std::string& group) {
  std::vector<std::uint16_t> ports;
  std::string_view rest(group);
  rest = rest.substr(0, rest.find('/'));
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    std::uint16_t port = 0;
    std::from_chars(word.data(), word.data() + word.size(), port);
    if (port != 0) ports.push_back(port);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return ports;
}

Result<const network::Place*> SessionNetworks::take(const std::string& group, int user,
                                                    const std::string& session,
                                                    const network::IsOwn& is_own) {
  Shared& shared = by_group_[group];
  if (!shared.place.network) {
    auto made = network::make_place(user);
    if (!made) {
      by_group_.erase(group);
      return made.status();
    }
    shared.place = std::move(*made);
    shared.sign = NetworkSign::put_up(session);
    shared.session = session.substr(0, session.find('/'));
    shared.is_own = is_own;
  }
  if (shared.forwarder.pid == 0) forward(group, shared);
  // The run is to find what listens now. The first run of a session need not wait: there is
  // nothing.
  if (!ports_of(group).empty() || runs_->has_several(shared.session)) {
    network::look(shared.forwarder);
  }
  ++shared.runs;
  return &shared.place;
}

bool SessionNetworks::is_one_of_several(const std::string& group) const {
  const auto found = by_group_.find(group);
  return found != by_group_.end() && found->second.sign.is_another_up();
}

void SessionNetworks::end(const Shared& shared) {
  const pid_t pid = shared.forwarder.pid;
  if (pid == 0) return;
  ::kill(pid, SIGKILL);
  runs_->set(-pid, "");
  ending_.insert(pid);
}

void SessionNetworks::let_go(const std::string& group) {
  const auto found = by_group_.find(group);
  if (group.empty() || found == by_group_.end() || --found->second.runs > 0) return;
  end(found->second);
  by_group_.erase(found);
}

void SessionNetworks::clear(const std::unordered_set<std::string>& kept) {
  std::erase_if(by_group_, [&](const auto& entry) {
    if (kept.contains(entry.first)) return false;
    end(entry.second);
    return true;
  });
}

void SessionNetworks::end_all() {
  clear({});
  constexpr int kLooks = 100;
  for (int looks = 0; looks < kLooks; ++looks) {
    const pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid < 0) break;
    if (pid > 0) {
      ending_.erase(pid);
    } else {
      ::usleep(1000);
    }
  }
  ending_.clear();
}

bool SessionNetworks::ended(pid_t pid) {
  if (ending_.erase(pid) != 0) return true;
  for (auto& [group, shared] : by_group_) {
    if (shared.forwarder.pid != pid) continue;
    runs_->set(-pid, "");
    shared.forwarder = {};
    // A program has killed it. If that goes on, the next run makes another.
    if (++shared.losses <= kMaxLosses) forward(group, shared);
    return true;
  }
  return false;
}

void SessionNetworks::forward(const std::string& group, Shared& shared) {
  shared.forwarder = network::start_forwarder(shared.place, ports_of(group), shared.is_own);
  const pid_t pid = shared.forwarder.pid;
  if (pid == 0) return;
  on_process_(pid);
  runs_->set(-pid, shared.session);
}

}  // namespace gibbous::keeper
