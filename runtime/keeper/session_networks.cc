#include "runtime/keeper/session_networks.h"

#include <signal.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/network/forwarder.h"

namespace gibbous::keeper {
namespace {

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

}  // namespace

Result<const network::Place*> SessionNetworks::take(const std::string& group, bool own_user) {
  Shared& shared = by_group_[group];
  if (!shared.place.network) {
    auto made = network::make_place(own_user);
    if (!made) {
      by_group_.erase(group);
      return made.status();
    }
    shared.place = std::move(*made);
  }
  if (shared.forwarder == 0) {
    shared.forwarder = network::start_forwarder(shared.place, ports_of(group));
    if (shared.forwarder != 0) on_process_(shared.forwarder);
  }
  ++shared.runs;
  return &shared.place;
}

void SessionNetworks::end(const Shared& shared) {
  if (shared.forwarder == 0) return;
  ::kill(shared.forwarder, SIGKILL);
  ending_.insert(shared.forwarder);
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

bool SessionNetworks::ended(pid_t pid) {
  if (ending_.erase(pid) != 0) return true;
  for (auto& [group, shared] : by_group_) {
    if (shared.forwarder != pid) continue;
    shared.forwarder = 0;  // the next run makes another
    return true;
  }
  return false;
}

}  // namespace gibbous::keeper
