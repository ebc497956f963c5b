#include "runtime/trust/changed_list.h"

#include <utility>

#include "runtime/base/state_table.h"

namespace gibbous::trust {
namespace {

constexpr StateTableForm kChangedTable{
    .name = "changed",
    .version = 1,
    .errors = "changed",
    .effect = "is not used",
    .remedy = "A person can mend it",
    .when_full = "remove the lines of what you have looked at",
    .lock_tries = 200,
    .is_signed = false,
};

Result<std::vector<Changed>> changed_in(const StateRows& rows, const std::string& directory) {
  std::vector<Changed> all;
  for (const StateRow& row : rows) {
    if (row.size() != 3 || !row[0].starts_with('/') || row[1].empty() || !row[2].starts_with('/')) {
      return damaged_state_table(kChangedTable, directory,
                                 "line " + std::to_string(all.size() + 2) + " is malformed");
    }
    all.push_back({row[0], row[1], row[2]});
  }
  return all;
}

}  // namespace

std::string directory_of(const Changed& changed) {
  const std::string repository = changed.path.substr(0, changed.path.find("//"));
  return (repository + "/").starts_with(changed.workspace + "/") ? repository : changed.workspace;
}

Result<std::vector<Changed>> ChangedList::list(StateMark* mark) const {
  const auto rows = read_state_table(kChangedTable, directory_, mark);
  if (!rows) return rows.status();
  return changed_in(*rows, directory_);
}

Status ChangedList::change(const std::function<bool(std::vector<Changed>&)>& edit) const {
  return change_state_table(
      kChangedTable, directory_, {.durable = false}, [&](StateRows& rows) -> Result<bool> {
        auto all = changed_in(rows, directory_);
        if (!all) return all.status();
        if (!edit(*all)) return false;
        if (all->size() > kMaxChanged) {
          all->erase(all->begin(), all->end() - static_cast<std::ptrdiff_t>(kMaxChanged));
        }
        rows.clear();
        for (Changed& each : *all) {
          rows.push_back({std::move(each.workspace), std::move(each.before), std::move(each.path)});
        }
        return true;
      });
}

}  // namespace gibbous::trust
