// What a worker wants to know of the journal when it looks: requests, queued runs that it may
// claim, dead workers, and which living ones it watches. A pure read; any thread.
//
// Workers of one pid_space watch each other as a ring: each one that takes over what others leave
// watches those that come after it in the order of the ids, up to and with the next one that takes
// over too. So the death of any worker is noticed at once, and every process watches only a few.
// The last of the ring also looks after workers that cannot be seen from here, by their leases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/journal/journal_reader.h"
#include "runtime/journal/record.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

inline constexpr std::size_t kMaxWatched = 64;

struct NewsQuestion {
  std::string worker_id;
  std::string boot_id;
  bool takes_over = true;
  bool claims = true;
  bool begins = false;  // the first look of a worker
  ClaimScope scope;
  std::int64_t seen_changes = -1;  // QueueNews::changes of the last look
  std::int64_t now = 0;            // wall time
};

struct QueueNews {
  std::int64_t changes = 0;
  bool changed = false;              // since the last look, by any process
  std::vector<RunRequest> requests;  // about runs of this worker
  // At least one run that this worker may claim, if no other worker that queued it lives.
  bool claimable = false;
  std::vector<std::string> of_others;  // those of them that other workers have queued
  bool lacks_place = false;            // a run waits for a place that it shares with other clients
  std::size_t behind = 0;              // and so many runs of others come first
  std::vector<std::string> mail;       // its claimed sessions with messages of other workers
  // These are set only for a worker that takes over.
  std::vector<std::string> dead;       // those that it is responsible for, and owners of its runs
  std::vector<WorkerRecord> to_watch;  // alive; at most kMaxWatched
  bool alone = false;                  // no other worker here takes over
  bool ownerless = false;      // at the first look: a worker left a run when it left the journal
  std::int64_t lease_end = 0;  // the earliest that it must look at again; 0: none
};

Result<QueueNews> read_news(JournalReader& reader, const NewsQuestion& question);

}  // namespace gibbous
