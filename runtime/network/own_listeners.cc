#include "runtime/network/own_listeners.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "runtime/base/listing.h"
#include "runtime/process/usage_ports.h"

namespace gibbous::network {

OwnListeners::Found OwnListeners::at(const Destination& destination, std::uint8_t protocol) {
  ListeningSockets sockets;
  const bool listed = append_own_listeners(sockets, protocol);
  if (!listed || sockets.size() == kMaxListeners) return Found::kOther;
  std::erase_if(sockets, [&](const auto& entry) {
    const ListeningPort& listening = entry.second;
    return listening.port != destination.port || !destination.leads_to(listening.address);
  });
  if (sockets.empty()) return Found::kNobody;
  const auto all_known = [&] {
    return std::all_of(sockets.begin(), sockets.end(),
                       [&](const auto& entry) { return known_.contains(entry.first); });
  };
  if (!all_known()) look(sockets);
  return all_known() ? Found::kOwn : Found::kOther;
}

ListeningSockets OwnListeners::list() {
  ListeningSockets sockets;
  (void)append_own_listeners(sockets);
  std::unordered_set<ino_t> now;
  for (const auto& [inode, socket] : sockets) now.insert(inode);
  const auto seen = [&](ino_t inode) { return seen_.contains(inode); };
  if (!std::all_of(now.begin(), now.end(), seen)) look(sockets);
  seen_ = std::move(now);
  std::erase_if(sockets, [&](const auto& entry) {
    const std::string& address = entry.second.address;
    return !known_.contains(entry.first) || !(Destination::loopback(0, false).leads_to(address) ||
                                              Destination::loopback(0, true).leads_to(address));
  });
  return sockets;
}

void OwnListeners::look(const ListeningSockets& sockets) {
  if (known_.size() > kMaxListeners) known_.clear();
  Listing all("/proc");
  while (const dirent* each = all.next()) {
    const pid_t pid = std::atoi(&each->d_name[0]);
    if (pid <= 0 || !is_own_(pid)) continue;
    for (const ino_t inode : sockets_of(pid)) {
      if (sockets.contains(inode)) known_.insert(inode);
    }
  }
}

}  // namespace gibbous::network
