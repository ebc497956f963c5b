#include "runtime/journal/tail_store.h"

#include <vector>

#include "runtime/journal/record.h"

namespace gibbous {

Status TailStore::prepare() {
  if (Status status = segments_.prepare(database_); !status) return status;
  return database_.prepare_all({
      {&save_,
       "INSERT OR REPLACE INTO run_tails (number, created_at, items, data, stdout_to, stderr_to)"
       " SELECT number, ?2, ?3, ?4, ?6, ?7 FROM exec_runs"
       " WHERE run_id = ?1 AND owner = ?5 AND status IN ('starting', 'running')"},
      {&drop_,
       "DELETE FROM run_tails WHERE number = (SELECT number FROM exec_runs WHERE run_id = ?)"},
      {&select_,
       "SELECT created_at, items, data, stdout_to, stderr_to FROM run_tails WHERE number = ?"},
      {&select_run_, "SELECT last_seq FROM exec_runs WHERE number = ?"},
      {&update_run_,
       "UPDATE exec_runs SET last_seq = ?, output_bytes = output_bytes + ?, updated_at = ?,"
       " stdout_to = max(stdout_to, ?), stderr_to = max(stderr_to, ?) WHERE number = ?"},
      {&delete_, "DELETE FROM run_tails WHERE number = ?"},
  });
}

Status TailStore::save(const RunTail& tail, std::string_view worker) {
  return save_
      .with(tail.run_id, tail.created_at, tail.items, Blob{tail.data}, worker, tail.stdout_to,
            tail.stderr_to)
      .run();
}

Status TailStore::drop(std::string_view run_id) {
  return drop_.with(run_id).run();
}

Status TailStore::take(std::int64_t number, std::int64_t now) {
  const Result<bool> row = select_.with(number).step();
  if (!row || !*row) return row.status();
  const RunTail tail{"",
                     select_.integer(0),
                     select_.text(1),
                     select_.text(2),
                     select_.integer(3),
                     select_.integer(4)};
  select_.reset();
  if (Status status = add_items(number, tail, now); !status) return status;
  return delete_.with(number).run();
}

// A tail that is damaged adds nothing: the items before it are still right.
Status TailStore::add_items(std::int64_t number, const RunTail& tail, std::int64_t now) {
  std::vector<SegmentEntry> entries;
  if (!parse_segment(tail.items, tail.data.size(), &entries)) return {};
  const Result<bool> run = select_run_.with(number).step();
  if (!run || !*run) return run.status();
  auto seq = static_cast<std::uint64_t>(select_run_.integer(0));
  select_run_.reset();
  const Result<SegmentRows::End> end = segments_.end_of(number);
  if (!end) return end.status();
  std::int64_t sum = end->sum;
  SegmentBuilder segment;
  std::int64_t output = 0;
  for (const SegmentEntry& entry : entries) {
    const std::string_view data = tail.data;
    const JournalItem item{++seq, entry.type, data.substr(entry.begin, entry.payload_bytes),
                           data.substr(entry.begin + entry.payload_bytes, entry.meta_bytes),
                           tail.created_at + entry.delay};
    if (!segment.takes(seq, item.payload.size() + item.meta.size())) {
      if (Status status = segments_.write(number, segment, &sum); !status) return status;
    }
    segment.add(item);
    if (entry.type != ItemType::kNote) output += static_cast<std::int64_t>(entry.payload_bytes);
  }
  if (Status status = segments_.write(number, segment, &sum); !status) return status;
  return update_run_
      .with(static_cast<std::int64_t>(seq), output, now, tail.stdout_to, tail.stderr_to, number)
      .run();
}

}  // namespace gibbous
