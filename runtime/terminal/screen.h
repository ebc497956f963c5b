// Screen: what a terminal shows; libvterm derives it from what programs write. Returns rows as
// text, their styles, the cursor, the title and the lines that scrolled off; answers the queries of
// programs; and encodes keys in the modes that programs have set. The size and the limits below
// bound its memory. Loop thread only; no descriptors here.
//
// Rows are read out of libvterm only when a caller asks, and compared on demand, so that a redraw
// of the same text is no change. Bytes go to it in pieces of 4 KiB, because it uses stack for every
// character of a piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/terminal.h"
#include "runtime/terminal/input_filter.h"
#include "runtime/terminal/keys.h"

namespace gibbous {

inline constexpr std::size_t kMaxScrollbackLines = 2000;
inline constexpr std::size_t kMaxScrollbackBytes = std::size_t{512} << 10;
inline constexpr std::size_t kMaxTitleBytes = 256;

struct TextStyle {
  bool bold = false;
  bool italic = false;
  bool underline = false;
  bool blink = false;
  bool reverse = false;
  bool strike = false;
  // "red", "bright_red", "color208" or "#ff8700"; "": the terminal's default.
  std::string foreground;
  std::string background;

  bool operator==(const TextStyle&) const = default;
};

// Columns [from, to) of a row, from 0.
struct StyledSpan {
  int from = 0;
  int to = 0;
  TextStyle style;

  bool operator==(const StyledSpan&) const = default;
};

struct ScreenRow {
  std::string text;               // valid UTF-8, without the blanks at its end
  std::vector<StyledSpan> spans;  // where the style is not plain
  std::uint64_t changed = 0;      // Screen::version() of the last change
};

struct ScreenCursor {
  int row = 0;  // from 0
  int col = 0;  // from 0
  bool visible = true;
};

class Screen {
 public:
  // `answer` gets text for programs to read: where the cursor is, which terminal this is. feed()
  // calls it.
  Screen(TerminalSize size, std::function<void(std::string_view)> answer);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Takes the output of programs, in pieces of any size.
  void feed(std::string_view bytes);
  void resize(TerminalSize size);

  TerminalSize size() const { return size_; }
  ScreenCursor cursor() const;
  const std::string& title() const { return title_; }
  bool alternate() const { return alternate_; }  // the screen of full-screen programs
  // Rises when rows have changed. The call compares the rows that were written to.
  std::uint64_t version();
  const std::vector<ScreenRow>& rows();  // from the top; size().rows of them

  // How many lines have scrolled off the top; the newest are kept.
  std::uint64_t scrolled() const { return scrolled_; }
  const std::deque<std::string>& scrollback() const { return scrollback_; }

  // Returns the bytes of the strokes in the current modes.
  std::string encode(const std::vector<KeyStroke>& strokes);
  // Returns the bytes of pasted text, bracketed if the program has requested that. Leaves control
  // characters out.
  std::string encode_paste(std::string_view text);

 private:
  struct Terminal;  // the libvterm object, and the functions that it calls

  void write(std::string_view bytes);
  void move_cursor(ScreenCursor to);
  bool may_grow(std::string_view piece);
  void mark_dirty(int from, int to);
  void look();
  ScreenRow read_row(int row) const;
  void push_scrollback(std::string line);
  std::string collect(const std::function<void()>& send);

  TerminalSize size_;
  std::function<void(std::string_view)> answer_;
  std::string* collected_ = nullptr;  // receives what keys send
  InputFilter filter_;
  std::unique_ptr<Terminal> terminal_;
  std::vector<ScreenRow> rows_;
  std::vector<bool> dirty_;  // rows written to since the last comparison
  bool any_dirty_ = true;
  std::uint64_t version_ = 1;
  std::string title_;
  bool alternate_ = false;
  bool cursor_visible_ = true;
  std::size_t still_bytes_ = 0;  // of characters that did not move the cursor
  std::uint64_t scrolled_ = 0;
  std::deque<std::string> scrollback_;
  std::size_t scrollback_bytes_ = 0;
};

}  // namespace gibbous
