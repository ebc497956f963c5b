// Prompt: the policy's questions, put to whoever sits at the terminal of `gibbous call`. One at a
// time, in the order in which they came; the others wait. Main thread; reads only when there is
// something to read.
#pragma once

#include <deque>

#include "gibbous/runtime.h"

namespace gibbous::cli {

class Prompt {
 public:
  // `input` and `output` must be terminals.
  Prompt(int input, int output) : input_(input), output_(output) {}

  void ask(AskRequest request);
  // A question is on the screen: poll input() for reading, and say when it is readable.
  bool open() const { return !questions_.empty(); }
  int input() const { return input_; }
  void on_readable();
  // Nobody is asked any more; what is open is denied.
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
