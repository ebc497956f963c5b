// QueueChoice says which queued runs may start now: the first of each queue, as long as its client,
// its label and the machine have a place, in an order that is fair to all clients. A pure read of
// the journal; one database connection.
//
// No process hands out places: each worker knows the order, and takes a place before others that
// come first only after it has given them time (20 ms for each, half a second at most), so that a
// stopped host holds up nothing. For the same reason a run that its own worker does not start
// within a second is any other's of its session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/record.h"

namespace gibbous {

// The first queued run of a queue that has no run in progress. A queue is a name inside a client;
// runs without a workspace are of an older version.
struct QueueHead {
  std::int64_t number = 0;
  std::string owner;  // the worker that queued it
  std::string client;
  std::string run_id;
  std::string workspace;
  std::int64_t priority = 0;
  std::string label;
};

enum class PlaceOf : std::uint8_t { kClient, kLabel, kMachine };

struct WaitingRun {
  std::string run_id;
  PlaceOf lacks = PlaceOf::kClient;
};

struct QueueChoices {
  std::vector<QueueHead> now;  // may start now, the best first
  // These would be among them, but a place that is shared with other clients is missing, or so many
  // others come first.
  bool lacks_place = false;
  std::size_t behind = 0;
  std::vector<WaitingRun> waiting;  // all that lack a place, the best first
};

class QueueChoice {
 public:
  Status prepare(Database& database);
  // `may_claim` is asked about heads within the scope.
  Result<QueueChoices> choose(const ClaimScope& scope, std::size_t most,
                              const std::function<Result<bool>(const QueueHead&)>& may_claim);

 private:
  struct Counts {
    std::map<std::string, std::size_t> of_client;
    std::map<std::string, std::size_t> of_label;
    std::size_t of_machine = 0;
  };
  Status read_heads(const ClaimScope& scope, std::vector<QueueHead>* heads);
  Status count(const ClaimScope& scope, const std::vector<QueueHead>& heads, Counts* counts);
  static std::optional<PlaceOf> lacking(const QueueHead& head, const ClaimScope& scope,
                                        const Counts& counts);

  Statement select_heads_;
  Statement count_client_;
  Statement count_label_;
  Statement count_all_;
};

}  // namespace gibbous
