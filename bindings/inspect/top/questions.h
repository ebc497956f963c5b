// Questions: the open questions of the policy on the screen of `gibbous top`, and the keys that
// answer them. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bindings/inspect/top/keys.h"
#include "gibbous/asks.h"

namespace gibbous::top {

class Questions {
 public:
  // Answers a question, and returns what to tell the person.
  using Answer = std::function<std::string(const std::string& id, const AskAnswer& answer)>;

  explicit Questions(Answer answer) : answer_(std::move(answer)) {}

  // Takes the open ones, oldest first. Returns what to tell the person when the one on the screen
  // is gone.
  std::string take(std::vector<OpenAsk> asks);
  std::size_t count() const { return asks_.size(); }
  // True while a question fills the screen.
  bool is_shown() const { return !shown_.empty(); }
  // Shows the oldest one, if there is any.
  void show();
  // Takes a key while a question is shown; returns what to tell the person.
  std::string press(const Key& key);

  // A row for each of the oldest, at most `rows`.
  std::vector<std::string> brief(std::size_t rows, std::int64_t now) const;
  // The one that is shown, with the answers that it offers. One that is too long for the screen is
  // cut, and says so.
  std::vector<std::string> whole(std::size_t rows, std::size_t columns, std::int64_t now) const;
  // What the keys do.
  std::string keys() const;

 private:
  const OpenAsk* current() const;
  void next();

  Answer answer_;
  std::vector<OpenAsk> asks_;
  std::string shown_;  // id
};

}  // namespace gibbous::top
