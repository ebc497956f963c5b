#include "runtime/journal/backlog.h"

#include <algorithm>

#include "runtime/base/session_name.h"

namespace gibbous {

Status Backlog::prepare() {
  return database_.prepare_all({
      {&add_,
       "INSERT OR IGNORE INTO backlog_messages (session_id, owner, seq, run_id, event, payload,"
       " created_at, for_agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
      {&drain_, "DELETE FROM backlog_messages WHERE session_id = ? AND owner = ? AND seq <= ?"},
      {&select_owners_,
       "SELECT owner, min(created_at) AS oldest FROM backlog_messages"
       " WHERE session_id = ? AND owner <> ? GROUP BY owner ORDER BY oldest"},
      {&select_seqs_,
       "SELECT seq FROM backlog_messages WHERE session_id = ? AND owner = ? ORDER BY seq"},
      // Their seqs become negative, in the same order, after those of all messages taken earlier.
      {&own_,
       "UPDATE backlog_messages SET owner = ?4, seq = 1 + (SELECT coalesce(max(seq),"
       " -4611686018427387904) FROM backlog_messages WHERE session_id = ?1 AND owner = ?4"
       " AND seq < 0) WHERE session_id = ?1 AND owner = ?2 AND seq = ?3"},
      {&select_taken_,
       "SELECT session_id, seq, run_id, event, payload, created_at, for_agent"
       " FROM backlog_messages"
       " WHERE session_id = ? AND owner = ? AND seq < 0 ORDER BY seq"},
  });
}

Status Backlog::add(const BacklogMessage& message) {
  return add_
      .with(message.session_id, workers_.self().worker_id, static_cast<std::int64_t>(message.seq),
            message.run_id, message.event, message.payload, message.created_at,
            std::int64_t{message.for_agent})
      .run();
}

Status Backlog::drain(const std::string& session_id, std::uint64_t through_seq) {
  return drain_.with(session_id, workers_.self().worker_id, static_cast<std::int64_t>(through_seq))
      .run();
}

Status Backlog::own(const std::string& session_id, const std::string& owner) {
  std::vector<std::int64_t> seqs;
  select_seqs_.with(session_id, owner);
  for (;;) {
    const Result<bool> row = select_seqs_.step();
    if (!row) return row.status();
    if (!*row) break;
    seqs.push_back(select_seqs_.integer(0));
  }
  for (const std::int64_t seq : seqs) {
    own_.with(session_id, owner, seq, workers_.self().worker_id);
    if (Status status = own_.run(); !status) return status;
  }
  return {};
}

Status Backlog::take(const std::string& session_id, std::int64_t now,
                     std::vector<BacklogMessage>* messages) {
  workers_.look_again();
  const std::string& self = workers_.self().worker_id;
  std::vector<std::string> owners;
  select_owners_.with(session_id, self);
  for (;;) {
    const Result<bool> row = select_owners_.step();
    if (!row) return row.status();
    if (!*row) break;
    owners.push_back(select_owners_.text(0));
  }
  for (const std::string& owner : owners) {
    // Only the owner of a claimed session asks for it; another process that settled its runs may
    // still live.
    bool free = is_claimed_session(session_id);
    if (!free) {
      if (Status status = workers_.is_dead(owner, now, &free); !status) return status;
    }
    if (!free) continue;
    if (Status status = own(session_id, owner); !status) return status;
  }
  messages->clear();
  select_taken_.with(session_id, self);
  for (;;) {
    const Result<bool> row = select_taken_.step();
    if (!row || !*row) return row.status();
    messages->push_back(message_of(select_taken_));
  }
}

BacklogMessage message_of(const Statement& row) {
  const auto seq = static_cast<std::uint64_t>(std::max<std::int64_t>(row.integer(1), 0));
  return {row.text(0),        seq, row.text(2), row.text(3), row.text(4), row.integer(5),
          row.integer(6) != 0};
}

}  // namespace gibbous
