// Backlog: the messages of sessions that their agents have not seen yet. Each message belongs to
// the worker it happened to. When that worker is dead, the next worker that serves the session
// takes the message over. Used within the store's transactions, on the writer thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/record.h"
#include "runtime/journal/workers.h"

namespace gibbous {

class Backlog {
 public:
  Backlog(Database& database, Workers& workers) : database_(database), workers_(workers) {}
  Status prepare();

  Status add(const BacklogMessage& message);
  // Removes this worker's messages up to and including `through_seq`, and every message it took
  // over.
  Status drain(const std::string& session_id, std::uint64_t through_seq);
  // Takes over what dead workers left for the session, oldest first. Repeated calls give the same
  // messages until the session is drained.
  Status take(const std::string& session_id, std::int64_t now,
              std::vector<BacklogMessage>* messages);

 private:
  Status own(const std::string& session_id, const std::string& owner);

  Database& database_;
  Workers& workers_;
  Statement add_;
  Statement drain_;
  Statement select_owners_;
  Statement select_seqs_;
  Statement own_;
  Statement select_taken_;
};

// Reads a row of session_id, seq, run_id, event, payload, created_at. A message that was taken over
// has seq 0.
BacklogMessage message_of(const Statement& row);

}  // namespace gibbous
