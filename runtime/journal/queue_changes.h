// QueueChanges: what a commit changed in the queue that other processes may wait for. Plain data.
#pragma once

#include <set>
#include <string>

namespace gibbous {

struct QueueChanges {
  // Clients of which a run was queued, or of which a run from the queue moved on.
  std::set<std::string> clients;
  // Workers that have a new request, or a new neighbour (JournalReader::next_worker).
  std::set<std::string> workers;

  bool empty() const { return clients.empty() && workers.empty(); }
};

}  // namespace gibbous
