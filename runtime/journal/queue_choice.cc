#include "runtime/journal/queue_choice.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gibbous {
namespace {

// A run with a higher priority comes before earlier ones of its queue, too. ?1 is a workspace, or
// NULL for all.
constexpr const char* kSelectHeads =
    "SELECT head.number, owner, client, run_id, workspace, priority,"
    " iif(json_valid(meta_json), coalesce(json_extract(meta_json, '$.label'), ''), '') FROM"
    " (SELECT number, row_number() OVER (PARTITION BY workspace, client, session_id"
    "    ORDER BY priority DESC, number) AS place FROM exec_runs"
    "  WHERE status = 'queued' AND (?1 IS NULL OR workspace IN (?1, ''))) AS head"
    " JOIN exec_runs AS run ON run.number = head.number"
    " WHERE head.place = 1 AND NOT EXISTS (SELECT 1 FROM exec_runs AS other"
    "   WHERE other.workspace = run.workspace AND other.client = run.client"
    "   AND other.session_id = run.session_id AND other.status IN ('starting', 'running')"
    "   AND other.from_queue = 1)"
    " ORDER BY head.number";
// Those that wait in their host (waits_in_host) take no place.
constexpr const char* kCountOf =
    "SELECT count(*) FROM exec_runs INDEXED BY exec_runs_going"
    " WHERE status IN ('starting', 'running') AND background = 1"
    " AND (status = 'running' OR error_message IS NULL)";

std::size_t limit_of_label(const ClaimScope& scope, const std::string& label) {
  const auto limit = scope.places.of_label.find(label);
  return limit == scope.places.of_label.end() ? 0 : limit->second;
}

template <typename Key>
std::size_t at(const std::map<Key, std::size_t>& counts, const Key& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

Status read_count(Statement& statement, std::size_t* count) {
  const Result<bool> row = statement.step();
  if (!row) return row.status();
  *count = *row ? static_cast<std::size_t>(statement.integer(0)) : 0;
  statement.reset();
  return {};
}

}  // namespace

Status QueueChoice::prepare(Database& database) {
  return database.prepare_all({
      {&select_heads_, kSelectHeads},
      {&count_client_, std::string(kCountOf) + " AND workspace = ? AND client = ?"},
      {&count_label_,
       std::string(kCountOf) +
           " AND iif(json_valid(meta_json), json_extract(meta_json, '$.label'), '') = ?"},
      {&count_all_, kCountOf},
  });
}

Status QueueChoice::read_heads(const ClaimScope& scope, std::vector<QueueHead>* heads) {
  // Others count where places are shared with them.
  const bool all = scope.all || scope.places.of_machine != 0 || !scope.places.of_label.empty();
  if (all) {
    select_heads_.bind_null(1);
  } else {
    select_heads_.with(scope.workspace);
  }
  for (;;) {
    const Result<bool> row = select_heads_.step();
    if (!row || !*row) return row.status();
    heads->push_back({select_heads_.integer(0), select_heads_.text(1), select_heads_.text(2),
                      select_heads_.text(3), select_heads_.text(4), select_heads_.integer(5),
                      select_heads_.text(6)});
  }
}

Status QueueChoice::count(const ClaimScope& scope, const std::vector<QueueHead>& heads,
                          Counts* counts) {
  Status status;
  for (const QueueHead& head : heads) {
    const auto [client, is_new] = counts->of_client.try_emplace(head.client, 0);
    if (is_new && status) {
      count_client_.with(head.workspace, head.client);
      status = read_count(count_client_, &client->second);
      client->second = std::max(client->second, at(scope.places.taken, head.client));
    }
    if (limit_of_label(scope, head.label) == 0) continue;
    const auto [label, is_first] = counts->of_label.try_emplace(head.label, 0);
    if (is_first && status) {
      status = read_count(count_label_.with(head.label), &label->second);
    }
  }
  if (status && scope.places.of_machine != 0) status = read_count(count_all_, &counts->of_machine);
  return status;
}

std::optional<PlaceOf> QueueChoice::lacking(const QueueHead& head, const ClaimScope& scope,
                                            const Counts& counts) {
  const auto is_full = [](std::size_t most, std::size_t taken) {
    return most != 0 && taken >= most;
  };
  const QueuePlaces& places = scope.places;
  if (is_full(places.of_client, at(counts.of_client, head.client))) return PlaceOf::kClient;
  if (is_full(limit_of_label(scope, head.label), at(counts.of_label, head.label))) {
    return PlaceOf::kLabel;
  }
  if (is_full(places.of_machine, counts.of_machine)) return PlaceOf::kMachine;
  return std::nullopt;
}

// Takes the best one again and again, because each one that is taken changes the order: the highest
// priority, then the client with the fewest runs, then the earliest.
Result<QueueChoices> QueueChoice::choose(
    const ClaimScope& scope, std::size_t most,
    const std::function<Result<bool>(const QueueHead&)>& may_claim) {
  std::vector<QueueHead> heads;
  Counts counts;
  Status status = read_heads(scope, &heads);
  if (status) status = count(scope, heads, &counts);
  if (!status) return status;
  QueueChoices choices;
  const auto order = [&counts](const QueueHead& head) {
    return std::tuple(-head.priority, at(counts.of_client, head.client), head.number);
  };
  std::size_t of_others = 0;
  while (!heads.empty() && choices.now.size() < most) {
    const auto best = std::min_element(
        heads.begin(), heads.end(),
        [&order](const QueueHead& a, const QueueHead& b) { return order(a) < order(b); });
    const QueueHead head = std::move(*best);
    heads.erase(best);
    const bool here = scope.all || ((head.workspace == scope.workspace || head.workspace.empty()) &&
                                    scope.includes(head.client));
    Result<bool> mine = false;
    if (here && scope.except.count(head.run_id) == 0) mine = may_claim(head);
    if (!mine) return mine.status();
    if (!*mine && scope.places.patient) continue;  // its host has had the time to take it
    if (const auto lacks = lacking(head, scope, counts)) {
      choices.waiting.push_back({head.run_id, *lacks});
      if (*mine && *lacks != PlaceOf::kClient) {
        choices.lacks_place = true;
        choices.behind = std::max(choices.behind, of_others);
      }
      continue;
    }
    ++counts.of_client[head.client];
    ++counts.of_label[head.label];
    ++counts.of_machine;
    if (*mine) {
      choices.now.push_back(head);
    } else {
      ++of_others;
    }
  }
  return choices;
}

}  // namespace gibbous
