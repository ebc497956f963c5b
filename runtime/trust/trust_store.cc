#include "runtime/trust/trust_store.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace gibbous::trust {
namespace {

constexpr const char* kTrustWord = "trust";
constexpr const char* kFileWord = "file";

// Takes the word in front of the fields.
bool begins_with(const StateRow& row, const char* word, StateRow* fields) {
  if (row.front() != word) return false;
  fields->assign(row.begin() + 1, row.end());
  return true;
}

bool add_row(const StateRow& row, std::vector<Trusted>* all) {
  StateRow fields;
  if (begins_with(row, kTrustWord, &fields)) {
    Trusted trusted;
    std::string when;
    const bool named = read_named(fields, {{"kind", &trusted.kind},
                                           {"when", &when},
                                           {"who", &trusted.who},
                                           {"hash", &trusted.hash},
                                           {"path", &trusted.path}});
    const auto seconds = whole_number(when);
    if (!named || !seconds || !trusted.path.starts_with('/') || trusted.hash.empty()) return false;
    trusted.when = *seconds;
    all->push_back(std::move(trusted));
    return true;
  }
  NamedHash file;
  if (!begins_with(row, kFileWord, &fields) || all->empty()) return false;
  if (!read_named(fields, {{"hash", &file.hash}, {"name", &file.name}})) return false;
  all->back().files.push_back(std::move(file));
  return true;
}

Result<std::vector<Trusted>> trusted_in(const StateRows& rows, const std::string& directory) {
  std::vector<Trusted> all;
  for (const StateRow& row : rows) {
    if (!add_row(row, &all)) {
      return damaged_state_table(kTrustTable, directory, "a line in it is malformed");
    }
  }
  return all;
}

StateRow worded(const char* word, StateRow row) {
  row.insert(row.begin(), word);
  return row;
}

StateRows rows_of(const std::vector<Trusted>& all) {
  StateRows rows;
  for (const Trusted& trusted : all) {
    rows.push_back(worded(kTrustWord, named_row({{"kind", trusted.kind},
                                                 {"when", std::to_string(trusted.when)},
                                                 {"who", trusted.who},
                                                 {"hash", trusted.hash},
                                                 {"path", trusted.path}})));
    for (const NamedHash& file : trusted.files) {
      rows.push_back(worded(kFileWord, named_row({{"hash", file.hash}, {"name", file.name}})));
    }
  }
  return rows;
}

// `edit` returns whether to write.
Status change(const std::string& directory, bool make,
              const std::function<bool(std::vector<Trusted>&)>& edit) {
  return change_state_table(
      kTrustTable, directory, {.make = make}, [&](StateRows& rows) -> Result<bool> {
        auto all = trusted_in(rows, directory);
        if (!all) return all.status();
        if (!edit(*all)) return false;
        if (all->size() > kMaxTrusted) {
          return Status::error("trust_full", "at most " + std::to_string(kMaxTrusted) +
                                                 " places are kept; " + kTrustTable.when_full);
        }
        rows = rows_of(*all);
        return true;
      });
}

}  // namespace

std::string TrustStore::path() const {
  return directory_ + "/" + kTrustTable.name;
}

Result<std::vector<Trusted>> TrustStore::list() const {
  const auto rows = read_state_table(kTrustTable, directory_);
  if (!rows) return rows.status();
  return trusted_in(*rows, directory_);
}

Status TrustStore::add(const Trusted& trusted) const {
  return change(directory_, /*make=*/true, [&trusted](std::vector<Trusted>& all) {
    std::erase_if(all, [&trusted](const Trusted& each) { return each.path == trusted.path; });
    all.push_back(trusted);
    return true;
  });
}

Result<bool> TrustStore::remove(const std::string& path_of) const {
  bool found = false;
  const Status status = change(directory_, /*make=*/false, [&](std::vector<Trusted>& all) {
    found = std::erase_if(all, [&](const Trusted& each) { return each.path == path_of; }) > 0;
    return found;
  });
  if (!status) return status;
  return found;
}

}  // namespace gibbous::trust
