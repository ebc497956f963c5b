// Screen: the terminal of `gibbous top`, in raw mode and on the alternate screen while this object
// lives; the destructor restores it. The owner must turn signals into an orderly end. Main thread.
//
// curses would bring a terminfo database that minimal containers lack, global state, and signal
// handlers of its own, for a table, a log and one line of keys.
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
  // Fails with not_a_terminal when `in` or `out` is not a terminal.
  static Result<std::unique_ptr<Screen>> create(int in, int out);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  ScreenSize size() const;
  // Each string is one row; the terminal cuts a row that is too long.
  void draw(const std::vector<std::string>& lines);
  // Reads the keys that were typed. False when the terminal has gone.
  bool read(std::string& bytes);

  // Restores the terminal before the process stops, and takes it again afterwards.
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
