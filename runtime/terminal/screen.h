// Screen: what a terminal shows, kept by libvterm from what its programs write. Gives rows as text,
// their styles, the cursor, the title and the lines that scrolled off; answers what programs ask of
// a terminal; and says what keys send in the modes that programs have set. Memory is bounded by the
// size and the limits below. Loop thread only; no descriptors here.
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
  // "red", "bright_red", "color208" or "#ff8700"; "": the terminal's own.
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
  std::vector<StyledSpan> spans;  // where the style is not the plain one
  std::uint64_t changed = 0;      // Screen::version() since which it is so
};

struct ScreenCursor {
  int row = 0;  // from 0
  int col = 0;  // from 0
  bool visible = true;
};

class Screen {
 public:
  // `answer` gets what programs are to read: where the cursor is, what this terminal is. It is
  // called from inside feed.
  Screen(TerminalSize size, std::function<void(std::string_view)> answer);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Takes what programs have written, in pieces of any size.
  void feed(std::string_view bytes);
  void resize(TerminalSize size);

  TerminalSize size() const { return size_; }
  ScreenCursor cursor() const;
  const std::string& title() const { return title_; }
  bool alternate() const { return alternate_; }  // the screen of full-screen programs
  // Rises whenever rows have changed; asked for and found by looking, which costs as much as the
  // rows that were written to.
  std::uint64_t version();
  const std::vector<ScreenRow>& rows();  // from the top; size().rows of them

  // Lines that have scrolled off the top so far, of which the newest are kept.
  std::uint64_t scrolled() const { return scrolled_; }
  const std::deque<std::string>& scrollback() const { return scrollback_; }

  // Returns the bytes of the strokes in the modes that are set now.
  std::string encode(const std::vector<KeyStroke>& strokes);
  // Pasted text: bracketed if the program has asked for that. Control characters are left out.
  std::string encode_paste(std::string_view text);

 private:
  struct Terminal;  // libvterm's, and the functions that it calls

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
  std::string* collected_ = nullptr;  // what keys send goes here
  InputFilter filter_;
  std::unique_ptr<Terminal> terminal_;
  std::vector<ScreenRow> rows_;
  std::vector<bool> dirty_;  // rows that were written to since they were looked at
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
