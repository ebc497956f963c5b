#include "bindings/host/recorded_runs.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/lua/api/record_value.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMostQueued = 1000;
constexpr std::size_t kPageItems = 1000;
constexpr std::size_t kPageBytes = std::size_t{1} << 20;

bool is_output(ItemType type) {
  return type == ItemType::kStdout || type == ItemType::kStderr || type == ItemType::kTerminal;
}

Json queued_info(const RunRecord& record) {
  Json info = lua::run_record_value(record);
  info["session"] = record.client;
  const auto meta = info.find("meta");
  if (meta == info.end()) return info;
  const std::string label = text_member(*meta, "label");
  info.erase(meta);
  if (!label.empty()) info["label"] = label;
  return info;
}

// On another thread. A run may have much output between what happened to it.
Result<Json> read_events(JournalReader& reader, const std::string& run, const std::string& client,
                         std::size_t most) {
  const Result<RunRecord> record = reader.run(run);
  if (!record) return record.status();
  if (!client.empty() && record->client != client) {
    return Status::error("run_not_found", "there is no run " + run);
  }
  std::deque<StoredItem> found;
  bool more = false;
  std::uint64_t since = 0;
  for (bool at_end = false; !at_end;) {
    Result<ItemPage> page = reader.items(run, since, kPageItems, kPageBytes);
    if (!page) return page.status();
    for (StoredItem& item : page->items) {
      if (is_output(item.type)) continue;
      found.push_back(std::move(item));
      if (found.size() <= most) continue;
      found.pop_front();
      more = true;
    }
    since = page->next_since;
    at_end = !page->more;
  }
  Json events = Json::array();
  for (const StoredItem& item : found) events.push_back(lua::item_value(item));
  Json answer{{"run", run}, {"events", std::move(events)}};
  if (more) answer["more"] = true;
  return answer;
}

}  // namespace

void queued_runs(Recording& recording, const std::string& client,
                 std::function<void(std::vector<Json>)> then) {
  recording.runs("", /*only_queued=*/true, kMostQueued,
                 [client, then = std::move(then)](const Result<std::vector<RunRecord>>& records) {
                   std::vector<Json> infos;
                   if (records) {
                     for (const RunRecord& record : *records) {
                       if (!client.empty() && record.client != client) continue;
                       infos.push_back(queued_info(record));
                     }
                   }
                   std::reverse(infos.begin(), infos.end());
                   then(std::move(infos));
                 });
}

void run_events(Recording& recording, const std::string& run, const std::string& client,
                std::size_t most, std::function<void(Result<Json>)> then) {
  // Reading one item brings what has just happened to the disk.
  recording.items(
      run, 0, 1, 1,
      [&recording, run, client, most, then = std::move(then)](const Result<RecordedItems>& first) {
        if (!first) {
          then(first.status());
          return;
        }
        recording.look_up<Result<Json>>(
            [run, client, most](JournalReader& reader) {
              return read_events(reader, run, client, most);
            },
            then);
      });
}

}  // namespace gibbous::host
