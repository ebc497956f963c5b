// A table of the state directory: a file with one row of texts a line, which every process of this
// user shares. It is replaced whole under a lock, so that readers need none, and signed with the
// directory's key (state_key.h). A file with any fault has no rows. Any thread; waits for the disk.
//
//   gibbous-approvals 2 9f86d081…
//   id=aB3_x9Qz<TAB>kind=argv<TAB>…<TAB>subject=git push origin main
#pragma once

#include <sys/stat.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

inline constexpr std::size_t kMaxStateTableBytes = std::size_t{8} << 20;

struct StateTableForm {
  const char* name;       // of the file; its lock is NAME.lock
  int version;            // in the first line; a later one is not read
  const char* errors;     // begins their codes: "trust" for trust_damaged, trust_newer, trust_full
  const char* effect;     // of a file that cannot be used: "trusts nothing"
  const char* remedy;     // a sentence for a person about a damaged one
  const char* when_full;  // the same about one with too much in it
  int lock_tries;         // a millisecond each
  bool is_signed = true;  // false: a person edits it
};

using StateRow = std::vector<std::string>;
using StateRows = std::vector<StateRow>;

// A row of NAME=VALUE.
StateRow named_row(std::initializer_list<std::pair<const char*, std::string_view>> fields);
// Takes the values of a row that has exactly these names, in this order; returns false for others.
bool read_named(const StateRow& row,
                std::initializer_list<std::pair<const char*, std::string*>> fields);
// Digits, with a minus or not, and nothing else.
std::optional<std::int64_t> whole_number(std::string_view text);

// The file that was read last. It is held open, so that its inode number is not used again.
class StateMark {
 public:
  // Costs one stat: the file has not changed since.
  bool is_current(const std::string& path) const;
  bool is_set() const { return static_cast<bool>(file_); }
  void set(UniqueFd file, const struct stat& info) {
    file_ = std::move(file);
    info_ = info;
  }

 private:
  UniqueFd file_;  // null: none
  struct stat info_ {};
};

// There are no rows where there is no file. Fails with state_dir_unusable, state_file_unusable,
// ERRORS_damaged or ERRORS_newer.
Result<StateRows> read_state_table(const StateTableForm& form, const std::string& directory,
                                   StateMark* mark = nullptr);

struct StateWrite {
  bool make = true;     // the directory; else there are no rows where there is none, and no writing
  bool durable = true;  // waits until the disk has it
};
// `edit` gets what is there, with other writers locked out, and returns whether to write it. On
// failure nothing changes. Also fails with state_busy and ERRORS_full.
Status change_state_table(const StateTableForm& form, const std::string& directory,
                          const StateWrite& how,
                          const std::function<Result<bool>(StateRows&)>& edit);

// The error of a file whose rows are not what they should be.
Status damaged_state_table(const StateTableForm& form, const std::string& directory,
                           const std::string& why);

// The text of the file. Pure.
std::string encode_state_table(const StateTableForm& form, const StateRows& rows,
                               std::string_view key);

}  // namespace gibbous
