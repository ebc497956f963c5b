// Worker, what dead workers left: runs are taken over, and adopted with their keeper or, when it is
// gone, settled (worker_settle.cc).
#include <utility>
#include <vector>

#include "runtime/keeper/end_record.h"
#include "runtime/queue/worker.h"

namespace gibbous {
namespace {

// A keeper whose host is gone ends its runs in less time, except those that outlive their host.
constexpr Nanos kKeeperPatience{1'500'000'000};
// The pause between two attempts to get such a run from a keeper that has another host.
constexpr Nanos kAdoptAgain{1'000'000'000};
// The time that another worker has to give up a run which this process has.
constexpr Nanos kReleasePatience{30'000'000'000};

using RowOfRun = Result<RunRecord>;
// The rows of some runs.
using Rows = std::vector<std::pair<std::string, RowOfRun>>;

// What is known of the end of a run that is not here.
struct End {
  RowOfRun row;
  Result<EndRecord> record;
};
using Ends = std::vector<std::pair<std::string, End>>;

Result<Rows> read_rows(JournalReader& reader, const std::vector<std::string>& ids) {
  Rows rows;
  for (const std::string& id : ids) rows.emplace_back(id, reader.run(id));
  return rows;
}

Result<Ends> read_ends(JournalReader& reader, const std::string& directory,
                       const std::vector<std::string>& ids) {
  Ends ends;
  for (const std::string& id : ids) {
    ends.emplace_back(id, End{reader.run(id), read_end_record(directory, id)});
  }
  return ends;
}

}  // namespace

// Other workers have taken over what earlier ones left, unless the dead are this worker's to look
// after, or there are no others.
void Worker::recover_if_needed() {
  recovering_ = true;
  NewsQuestion first = question();
  first.begins = true;
  recording_.look_up<Result<QueueNews>>(
      [first](JournalReader& reader) { return read_news(reader, first); },
      [this](const Result<QueueNews>& news) {
        if (journal_ == nullptr) return;
        const bool all = !news || news->alone || news->ownerless;
        const auto dead = news ? note_dead(news->dead) : std::vector<std::string>{};
        if (!all && dead.empty()) return on_orphans(std::vector<Orphan>{});
        take_orphans(all ? std::vector<std::string>{} : dead);
      });
}

void Worker::recover(const std::vector<std::string>& dead) {
  recovering_ = true;
  take_orphans(dead);
}

// Takes the runs of these workers; without any, of all that are dead.
void Worker::take_orphans(const std::vector<std::string>& dead) {
  const Taken taken = journal_->take_orphans(
      mailed<std::vector<Orphan>>(
          [this](Result<std::vector<Orphan>> orphans) { on_orphans(std::move(orphans)); }),
      std::set<std::string>(dead.begin(), dead.end()));
  if (taken == Taken::kYes) return;
  recording_.mailbox().post([this] {
    on_orphans(Status::error("journal_full", "the journal accepts nothing at the moment"));
  });
}

void Worker::on_orphans(Result<std::vector<Orphan>> orphans) {
  if (orphans) {
    for (Orphan& orphan : *orphans) {
      const std::string id = orphan.run.run_id;
      orphans_since_.try_emplace(id, clock_.now());
      orphans_.insert_or_assign(id, std::move(orphan));
      released_.erase(id);
      (void)resume(id);
    }
  } else {
    known_dead_.clear();  // the next look finds them again
  }
  // Another process may hold its keeper's kept runs for as long as it likes: only what the dead
  // left is waited for.
  if (orphans_.empty()) recording_.joined();
  const bool again = std::exchange(orphans_known_, true);
  if (again) {
    runs_.adopt_detached([this] { on_adopted(); });
  } else if (adoption_ != Adoption::kConnecting) {
    on_adopted();
  }
}

void Worker::on_adopted() {
  if (journal_ == nullptr) return;
  recovering_ = false;
  recording_.joined();
  settle();
  drop_stale_records();
  claim();
  if (!known_dead_.empty()) look();  // others may have died meanwhile
  arm();
}

bool Worker::resume(const std::string& run_id) {
  if (runs_.find(run_id) == nullptr) return false;
  const auto found = orphans_.find(run_id);
  if (found != orphans_.end()) {
    const Orphan orphan = std::move(found->second);
    orphans_.erase(found);
    orphans_since_.erase(run_id);
    wanted_.erase(run_id);
    recorder_.resume(run_id, &orphan.run);
    if (orphans_.empty() && orphans_known_) recording_.joined();
    return true;
  }
  if (journal_ == nullptr || !options_.adopt) return false;
  // This process has the run. Whoever has its record gives it back soon.
  wanted_.try_emplace(run_id, clock_.now());
  arm();
  return true;
}

void Worker::seek_wanted() {
  if (wanted_.empty() || recovering_) return;
  std::vector<std::string> ids;
  for (const auto& [id, since] : wanted_) ids.push_back(id);
  const auto seek = [this](const Result<Rows>& rows) {
    if (!rows || journal_ == nullptr || recovering_) return;
    bool foreign = false;
    for (const auto& [id, row] : *rows) foreign = is_foreign(id, row) || foreign;
    if (foreign) recover({});
  };
  recording_.look_up<Result<Rows>>([ids](JournalReader& reader) { return read_rows(reader, ids); },
                                   seek);
}

// Resumes a wanted run whose record no other worker has. Returns whether one has it.
bool Worker::is_foreign(const std::string& run_id, const Result<RunRecord>& row) {
  const auto found = wanted_.find(run_id);
  if (found == wanted_.end()) return false;
  const bool unknown = !row && row.status().code() == "run_not_found";
  if (!row && !unknown) return false;
  const bool own = !unknown && (row->owner == id_ || is_terminal_status(row->status));
  if (!unknown && !own && clock_.now() - found->second < kReleasePatience) return true;
  wanted_.erase(found);
  recorder_.resume(run_id, unknown ? nullptr : &*row);
  return false;
}

// A keeper that lives may have the run, until it has told this process all that it has.
void Worker::settle() {
  if (recovering_) return;
  std::vector<Found> over;
  for (auto at = orphans_.begin(); at != orphans_.end();) {
    const WorkerRecord& was = at->second.was;
    const Runs::KeeperPlace place = keeper_place(was);
    // A host that is killed just after its first start has not recorded its keeper yet.
    const bool may_come = place == Runs::KeeperPlace::kElsewhere ||
                          (place == Runs::KeeperPlace::kGone && was.keeper_pid == 0);
    const Nanos since = orphans_since_.try_emplace(at->first, clock_.now()).first->second;
    if (may_come && clock_.now() - since < kKeeperPatience) {
      ++at;
      continue;
    }
    over.push_back({std::move(at->second), place});
    orphans_since_.erase(at->first);
    at = orphans_.erase(at);
  }
  if (!over.empty()) settle_by_records(std::move(over));
}

// The process that has a released run may end before it takes the record; its keeper may have had
// no time yet; and it may turn out that the keeper has ended the run.
void Worker::look_after_released() {
  if (released_.empty() || recovering_ || clock_.now() - adopted_at_ < kAdoptAgain) return;
  adopted_at_ = clock_.now();
  std::vector<std::string> ids;
  for (const auto& [id, orphan] : released_) ids.push_back(id);
  recording_.look_up<Result<Ends>>(
      [ids, directory = runs_.options().end_directory](JournalReader& reader) {
        return read_ends(reader, directory, ids);
      },
      [this](const Result<Ends>& ends) {
        if (!ends || journal_ == nullptr) return;
        bool over = false;
        for (const auto& [id, end] : *ends) {
          const auto found = released_.find(id);
          if (found == released_.end()) continue;
          const RowOfRun& row = end.row;
          const bool has_owner = row && !row->owner.empty() && row->owner != id_;
          const bool taken = has_owner || (row && is_terminal_status(row->status));
          const bool ended = !taken && !may_be_with_keeper(found->second, end.record);
          over = over || ended;
          if (ended || taken) released_.erase(found);
        }
        if (over && !recovering_) recover({});
        if (!released_.empty()) runs_.adopt_detached(nullptr);
        arm();
      });
}

}  // namespace gibbous
