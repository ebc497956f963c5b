#include "runtime/journal/item_writer.h"

#include <utility>

#include "runtime/journal/queue.h"
#include "runtime/journal/schema.h"

namespace gibbous {
namespace {

bool is_output(ItemType type) {
  switch (type) {
    case ItemType::kStdout:
    case ItemType::kStderr:
    case ItemType::kTerminal:
      return true;
    case ItemType::kEvent:
    case ItemType::kState:
    case ItemType::kNote:
      return false;
  }
  return false;
}

}  // namespace

Status ItemWriter::prepare() {
  if (Status status = segments_.prepare(database_); !status) return status;
  return database_.prepare_all({
      {&select_run_,
       "SELECT number, output_bytes, stored_bytes, not_kept_items, last_seq, max_output_bytes,"
       " finished_at, status, owner, attempt, stdout_to, stderr_to FROM exec_runs"
       " WHERE run_id = ?"},
      {&update_run_,
       "UPDATE exec_runs SET output_bytes = ?, stored_bytes = ?, not_kept_items = ?,"
       " truncated = ?, last_seq = ?, updated_at = ?, stdout_to = ?, stderr_to = ?"
       " WHERE number = ?"},
  });
}

void ItemWriter::know(RunSlot slot, const std::string& run_id, std::int64_t attempt) {
  Run& run = runs_[slot];
  run.run_id = run_id;
  run.attempt = attempt;
}

Status ItemWriter::open_run(RunSlot slot, const RunRecord& record) {
  Run& run = runs_[slot];
  run.run_id = record.run_id;
  if (run.gone || run.refused || run.attempt != record.attempt) run.checked = 0;
  run.attempt = record.attempt;
  run.reported = false;
  if (Status status = check(run); !status) return status;
  run.limit = record.max_output_bytes > 0 ? record.max_output_bytes : max_run_bytes_;
  run.ended = record.finished_at != 0;
  if (run.ended && record.last_seq > run.last_seen && record.last_seq <= kMaxSeq) {
    run.not_kept += static_cast<std::int64_t>(record.last_seq - run.last_seen);
    run.last_seen = record.last_seq;
  }
  if (!run.touched) touched_.push_back(slot);
  run.touched = true;
  return {};
}

Status ItemWriter::check(Run& run) {
  if (run.checked == batch_) return {};
  run.checked = batch_;
  const Result<bool> row = select_run_.with(run.run_id).step();
  if (!row) return row.status();
  run.gone = !*row;
  run.refused = false;
  if (run.gone) {
    run.loaded = false;
    return {};
  }
  const FenceRow fence{select_run_.text(7), select_run_.text(8), select_run_.integer(9)};
  const Status why = may_write(run.run_id, fence, workers_.self().worker_id, run.attempt);
  run.refused = !why;
  run.stdout_to = select_run_.integer(10);
  run.stderr_to = select_run_.integer(11);
  const auto last_seq = static_cast<std::uint64_t>(select_run_.integer(4));
  const bool is_known =
      run.loaded && run.number == select_run_.integer(0) && run.last_seen == last_seq;
  Status status;
  if (!run.refused && !is_known) {
    status = load(run);
  } else {
    select_run_.reset();
  }
  if (run.refused && !std::exchange(run.reported, true)) {
    refused_.push_back({RefusedWrite::kItems, run.run_id, why});
  }
  run.loaded = !run.refused;
  return status;
}

// Loads the run from the row that check() read.
Status ItemWriter::load(Run& run) {
  run.number = select_run_.integer(0);
  run.output_bytes = select_run_.integer(1);
  run.stored_bytes = select_run_.integer(2);
  run.not_kept = select_run_.integer(3);
  run.last_seen = static_cast<std::uint64_t>(select_run_.integer(4));
  run.limit = select_run_.integer(5) > 0 ? select_run_.integer(5) : max_run_bytes_;
  run.ended = !select_run_.is_null(6);
  select_run_.reset();
  const Result<SegmentRows::End> end = segments_.end_of(run.number);
  if (!end) return end.status();
  run.last_stored = end->seq;
  run.last_sum = end->sum;
  return {};
}

Status ItemWriter::add(RunSlot slot, const JournalItem& item) {
  const auto found = runs_.find(slot);
  if (found == runs_.end()) {
    ++not_kept_;
    return {};
  }
  Run& run = found->second;
  if (Status status = check(run); !status) return status;
  // The file already has this seq, because another process wrote the run too.
  if (run.gone || run.refused || item.seq <= run.last_seen) {
    ++not_kept_;
    return {};
  }
  if (!run.touched) touched_.push_back(slot);
  run.touched = true;
  run.not_kept += static_cast<std::int64_t>(item.seq - run.last_seen - 1);
  run.last_seen = item.seq;
  if (item.stdout_to != 0) run.stdout_to = item.stdout_to;
  if (item.stderr_to != 0) run.stderr_to = item.stderr_to;
  const bool output = is_output(item.type);
  const auto bytes = static_cast<std::int64_t>(item.payload.size() + item.meta.size());
  if (output) run.output_bytes += static_cast<std::int64_t>(item.payload.size());
  std::int64_t* const counter = counter_of(run, item, bytes);
  if (run.limit > 0 && counter == &run.stored_bytes && run.stored_bytes + bytes > run.limit) {
    ++run.not_kept;
    ++not_kept_;
    return run.capped ? Status() : note_cap(run, item);
  }
  if (Status status = note_gap(run, item.seq, item.created_at); !status) return status;
  *counter += bytes;
  ++stored_;
  return put(run, item);
}

// Returns what the bytes of the item count for.
std::int64_t* ItemWriter::counter_of(Run& run, const JournalItem& item, std::int64_t bytes) {
  const bool is_size = item.type == ItemType::kTerminal && item.payload.empty();
  if (is_output(item.type) && !is_size) return &run.stored_bytes;
  std::int64_t& counter = is_size ? run.size_bytes : run.event_bytes;
  const std::int64_t most = is_size ? kSizeReserveBytes : kEventReserveBytes;
  return counter + bytes <= most ? &counter : &run.stored_bytes;
}

// Stores the note at the seq of the first missing item.
Status ItemWriter::note_gap(Run& run, std::uint64_t next_seq, std::int64_t at) {
  const std::uint64_t from = run.last_stored + 1;
  if (next_seq <= from) return {};
  const std::string range = range_meta(from, next_seq - 1);
  const std::string text =
      "items " + std::to_string(from) + " to " + std::to_string(next_seq - 1) + " were not kept";
  return put(run, {from, ItemType::kNote, text, range, at});
}

// Stores the note at the seq of the first item that is not kept.
Status ItemWriter::note_cap(Run& run, const JournalItem& item) {
  run.capped = true;
  if (Status status = note_gap(run, item.seq, item.created_at); !status) return status;
  const std::string limit = std::to_string(run.limit);
  const std::string meta =
      "{\"from\":" + std::to_string(item.seq) + ",\"limit_bytes\":" + limit + "}";
  const std::string text =
      "the journal keeps " + limit + " bytes of this run; more output is not kept";
  return put(run, {item.seq, ItemType::kNote, text, meta, item.created_at});
}

Status ItemWriter::put(Run& run, const JournalItem& item) {
  if (!run.segment.takes(item.seq, item.payload.size() + item.meta.size())) {
    if (Status status = segments_.write(run.number, run.segment, &run.last_sum); !status)
      return status;
  }
  run.segment.add(item);
  run.last_stored = item.seq;
  return {};
}

Status ItemWriter::write_counters(Run& run, std::int64_t now) {
  update_run_.with(run.output_bytes, run.stored_bytes, run.not_kept, std::int64_t{run.not_kept > 0},
                   static_cast<std::int64_t>(run.last_seen), now, run.stdout_to, run.stderr_to,
                   run.number);
  return update_run_.run();
}

Status ItemWriter::end_batch(std::int64_t now, std::vector<SettledRun>* settled,
                             std::vector<RefusedWrite>* refused) {
  for (const RunSlot slot : touched_) {
    const auto found = runs_.find(slot);
    if (found == runs_.end()) continue;
    Run& run = found->second;
    run.touched = false;
    settled->push_back({slot, run.last_seen});
    if (run.gone) continue;
    Status status;
    if (run.ended) status = note_gap(run, run.last_seen + 1, now);
    if (status) status = segments_.write(run.number, run.segment, &run.last_sum);
    if (status) status = write_counters(run, now);
    if (!status) return status;
    if (!run.refused && run.last_seen > 0) newest_ = {run.number, run.run_id, run.last_seen};
    // Nothing about an ended run stays in memory, so retention may remove it at any time.
    run.loaded = !run.ended;
  }
  touched_.clear();
  ++batch_;
  for (RefusedWrite& each : std::exchange(refused_, {})) refused->push_back(std::move(each));
  return {};
}

void ItemWriter::forget(RunSlot slot) {
  if (const auto found = runs_.find(slot); found != runs_.end() && !found->second.touched) {
    runs_.erase(found);
  }
}

}  // namespace gibbous
