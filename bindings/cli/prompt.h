// Prompt: asks the policy's questions on the terminal of `gibbous call`, one at a time, in their
// order. Main thread; reads only when there is input.
#pragma once

#include <deque>

#include "gibbous/runtime.h"

namespace gibbous::cli {

class Prompt {
 public:
  // `input` and `output` must be terminals.
  Prompt(int input, int output) : input_(input), output_(output) {}

  void ask(AskRequest request);
  // Returns true while a question is on the screen: poll input(), and call on_readable() when it is
  // readable.
  bool open() const { return !questions_.empty(); }
  int input() const { return input_; }
  void on_readable();
  // Denies the open questions.
  void close();

 private:
  void show();
  void say(const std::string& text) const;
  void answer(const AskAnswer& answer);

  const int input_;
  const int output_;
  std::deque<AskRequest> questions_;  // the first is on the screen
};

}  // namespace gibbous::cli
