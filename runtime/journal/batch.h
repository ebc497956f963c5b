// Batch: what callers gave the journal and the writer has not written yet, in order. Filled under
// the journal's lock, then swapped out and read by the writer thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/journal/operation.h"
#include "runtime/journal/record.h"
#include "runtime/journal/run_ticket.h"
#include "runtime/journal/tail_store.h"

namespace gibbous {

// A run's number within one Journal: cheaper to carry than its id.
using RunSlot = std::uint32_t;

struct QueuedItem {
  RunSlot run = 0;
  ItemType type = ItemType::kStdout;
  std::uint64_t seq = 0;
  std::int64_t created_at = 0;
  std::size_t begin = 0;  // in Batch::bytes
  std::size_t payload_bytes = 0;
  std::size_t meta_bytes = 0;
  std::int64_t stdout_to = 0;
  std::int64_t stderr_to = 0;
};

struct QueuedRun {
  RunSlot slot = 0;
  RunRecord run;
  std::function<void(const Status&)> on_done;  // may be null
  std::shared_ptr<RunTicket> ticket;           // may be null
};
struct QueuedUsage {
  std::string run_id;
  UsageSample sample;
};
using QueuedOperation = std::shared_ptr<Operation>;  // called after the batch is cleared
struct ForgottenRun {
  RunSlot slot = 0;
};
struct DrainedBacklog {
  std::string session_id;
  std::uint64_t through_seq = 0;
};

struct QueuedRecord {
  std::size_t before_item = 0;  // it comes before the item with this index
  std::variant<QueuedRun, ForgottenRun, DecisionRecord, HostCallRecord, BacklogMessage,
               DrainedBacklog, QueuedUsage, RunTail, QueuedOperation>
      what;
};

struct Batch {
  std::string bytes;
  std::vector<QueuedItem> items;
  std::vector<QueuedRecord> records;
  std::size_t record_bytes = 0;

  bool empty() const { return items.empty() && records.empty(); }
  std::size_t entries() const { return items.size() + records.size(); }
  std::size_t size() const { return bytes.size() + record_bytes; }
  JournalItem item(const QueuedItem& of) const {
    const std::string_view text = bytes;
    return {of.seq,
            of.type,
            text.substr(of.begin, of.payload_bytes),
            text.substr(of.begin + of.payload_bytes, of.meta_bytes),
            of.created_at,
            of.stdout_to,
            of.stderr_to};
  }
  // Shrinks the buffers, so that little memory stays allocated for the next batch.
  void clear() {
    constexpr std::size_t kKeptBytes = std::size_t{256} << 10;
    if (bytes.capacity() > kKeptBytes) bytes = {};
    if (items.capacity() * sizeof(QueuedItem) > kKeptBytes) items = {};
    bytes.clear();
    items.clear();
    records.clear();
    record_bytes = 0;
  }
};

// Every item of the run up to this seq has been stored or rejected.
struct SettledRun {
  RunSlot run = 0;
  std::uint64_t seq = 0;
};

// A write that the fence around a run rejected.
struct RefusedWrite {
  static constexpr std::size_t kItems = static_cast<std::size_t>(-1);
  std::size_t record = kItems;  // of the batch; kItems: items of the run, reported once
  std::string run_id;
  Status why;
};

}  // namespace gibbous
