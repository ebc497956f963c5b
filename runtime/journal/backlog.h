// Backlog: the messages of sessions that their agents have not seen. Each belongs to the worker
// that it happened to; when that is dead, whoever speaks for the session next takes it over. Within
// the transactions of the store; writer thread only.
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
  // This worker's up to and including `through_seq`, and all that it has taken over.
  Status drain(const std::string& session_id, std::uint64_t through_seq);
  // What dead workers left for the session, oldest first. A second time the same, as long as it is
  // not drained.
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

// A row of session_id, seq, run_id, event, payload, created_at. What was taken over has seq 0.
BacklogMessage message_of(const Statement& row);

}  // namespace gibbous
