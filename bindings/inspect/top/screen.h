// Screen: the terminal of `gibbous top`, raw and on its second screen while this lives, as it was
// before when it has gone. Whoever owns it sees to it that signals end the owner in an orderly way.
// Main thread.
#pragma once

#include <termios.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::top {

struct ScreenSize {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

class Screen {
 public:
  // Fails with not_a_terminal when one of the two is none.
  static Result<std::unique_ptr<Screen>> create(int in, int out);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  ScreenSize size() const;
  // One line of the terminal each; what is too long is cut by the terminal itself.
  void draw(const std::vector<std::string>& lines);
  // The keys that have come. False when the terminal has gone.
  bool read(std::string& bytes);

  // The terminal as it was, and back again: around a stop.
  void leave();
  void enter();

 private:
  Screen(int in, int out, const termios& before) : in_(in), out_(out), before_(before) {}

  int in_;
  int out_;
  termios before_;
  bool entered_ = false;
};

}  // namespace gibbous::top
