// QueueChanges: what a commit changed in the queue that other processes may wait for. Plain data.
#pragma once

#include <set>
#include <string>

namespace gibbous {

struct QueueChanges {
  // Clients of which a run was queued, or of which a run from the queue moved on, and those for
  // which another process left a message.
  std::set<std::string> clients;
  // Workers that have a new request, or a new neighbour (JournalReader::next_worker).
  std::set<std::string> workers;
  // A run in progress ended or was queued again, so that its place is free.
  bool frees_place = false;

  bool empty() const { return clients.empty() && workers.empty() && !frees_place; }
};

}  // namespace gibbous
