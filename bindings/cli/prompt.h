// Prompt: asks the policy's questions on a terminal, one at a time, in their order: those of
// `gibbous call`, and those of other hosts for `gibbous asks --watch`. Main thread; reads only when
// there is input.
#pragma once

#include <deque>
#include <string>

#include "gibbous/runtime.h"

namespace gibbous::cli {

// The name of this user, for the list of approvals.
std::string user_name();

class Prompt {
 public:
  // `input` and `output` must be terminals. With `leaves`, the questions are those of others: a
  // person may leave one open, and the end of the input answers none.
  Prompt(int input, int output, bool leaves = false)
      : input_(input), output_(output), leaves_(leaves) {}

  // `heading` is a line above the question.
  void ask(AskRequest request, std::string heading = "");
  // Returns true while a question is on the screen: poll input(), and call on_readable() when it is
  // readable.
  bool open() const { return !questions_.empty(); }
  int input() const { return input_; }
  void on_readable();
  // Takes a question back, which was answered elsewhere or whose call has ended.
  void withdraw(const std::string& id, const std::string& why);
  bool input_ended() const { return input_ended_; }
  void end_input() { input_ended_ = true; }
  // Denies the open questions.
  void close();
  // Leaves them open.
  void leave_all();

 private:
  void show();
  void say(const std::string& text) const;
  void answer(const AskAnswer& answer);

  const int input_;
  const int output_;
  const bool leaves_;
  bool input_ended_ = false;
  struct Question {
    AskRequest request;
    std::string heading;
  };
  std::deque<Question> questions_;  // the first is on the screen
};

}  // namespace gibbous::cli
