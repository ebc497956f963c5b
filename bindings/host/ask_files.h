// AskFiles: the open questions as files of the state directory, so that other processes of this
// user can list and answer them. A host puts ID.ask and keeps it locked, which shows that it lives;
// who answers links ID.answer, which only the first can; the host says in ID.done what became of
// it. A file counts only with the checksum that the key of the state directory makes, over its
// name, too. Nothing waits: neither for a lock nor for the disk to sync. One thread for each
// object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::host {

inline constexpr std::string_view kAnswerSuffix = ".answer";

class AskFiles {
 public:
  explicit AskFiles(std::string state_directory) : state_(std::move(state_directory)) {}

  // Opens the directory; with `make`, creates it (0700) and the key. Fails with state_dir_missing,
  // state_dir_unusable or state_file_unusable.
  Status open(bool make);

  // --- For the host ---
  // Writes the question, or another text of it. `held` gets the lock: it is open until that is
  // closed.
  Status put(const std::string& id, std::string_view body, UniqueFd* held) const;
  // Returns the answer that is there, if it is genuine. Removes one that is not.
  std::optional<std::string> take_answer(const std::string& id) const;
  void drop_answer(const std::string& id) const;
  // Says what became of the question, and removes it. Best effort.
  void finish(const std::string& id, std::string_view outcome) const;
  // Keeps the answer to a question whose call has ended, for the call that comes again, to this
  // host or to a later one. `key` is that of the call. While the file is open, no host takes it.
  Result<UniqueFd> keep(const std::string& key, std::string_view body) const;
  // Returns it to one caller alone, who removes it.
  std::optional<std::string> take_kept(const std::string& key) const;
  std::string path() const { return state_ + "/asks"; }

  // --- For everybody ---
  std::vector<std::string> ids(std::string_view suffix) const;
  struct Question {
    std::string body;
    bool alive = false;  // its host has the lock
  };
  std::optional<Question> question(const std::string& id) const;
  std::optional<std::string> outcome(const std::string& id) const;
  // Fails with ask_answered when there is an answer already, or with state_file_unusable.
  Status put_answer(const std::string& id, std::string_view body) const;
  // Removes what is too old to be of use.
  void prune() const;

 private:
  std::string sealed(const std::string& name, std::string_view body) const;
  std::optional<std::string> read(const std::string& name, UniqueFd* file = nullptr) const;
  Result<UniqueFd> write(const std::string& name, std::string_view body) const;

  std::string state_;
  UniqueFd directory_;
  std::string key_;
};

}  // namespace gibbous::host
