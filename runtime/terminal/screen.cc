// libvterm calls back while it is fed; its rows are read only on demand.
#include "runtime/terminal/screen.h"

#include <vterm.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/output/text.h"
#include "runtime/terminal/cells.h"
#include "runtime/terminal/code_point.h"

namespace gibbous {
namespace {

// libvterm allocates memory for every character of a piece, and without limit for characters that
// combine with the one before.
constexpr std::size_t kMaxPieceBytes = 4096;
constexpr std::size_t kMaxWidePieceBytes = 256;
constexpr std::size_t kMaxStillBytes = 1024;
constexpr std::string_view kWholeScreen = "\x1b[?6l\x1b[r\x1b[s";

bool is_seven_bit(char byte) {
  return (static_cast<unsigned char>(byte) & 0x80U) == 0;
}

// Returns the longest piece that is all ASCII or has no ASCII, within the limits.
std::string_view first_piece(std::string_view bytes) {
  const bool ascii = is_seven_bit(bytes.front());
  const std::size_t most = std::min(bytes.size(), ascii ? kMaxPieceBytes : kMaxWidePieceBytes);
  std::size_t size = 1;
  while (size < most && is_seven_bit(bytes[size]) == ascii) ++size;
  return bytes.substr(0, size);
}

VTermKey vterm_key(const KeyStroke& stroke) {
  switch (stroke.key) {
    case Key::kCharacter:
      return VTERM_KEY_NONE;
    case Key::kEnter:
      return VTERM_KEY_ENTER;
    case Key::kTab:
      return VTERM_KEY_TAB;
    case Key::kBackspace:
      return VTERM_KEY_BACKSPACE;
    case Key::kEscape:
      return VTERM_KEY_ESCAPE;
    case Key::kUp:
      return VTERM_KEY_UP;
    case Key::kDown:
      return VTERM_KEY_DOWN;
    case Key::kLeft:
      return VTERM_KEY_LEFT;
    case Key::kRight:
      return VTERM_KEY_RIGHT;
    case Key::kInsert:
      return VTERM_KEY_INS;
    case Key::kDelete:
      return VTERM_KEY_DEL;
    case Key::kHome:
      return VTERM_KEY_HOME;
    case Key::kEnd:
      return VTERM_KEY_END;
    case Key::kPageUp:
      return VTERM_KEY_PAGEUP;
    case Key::kPageDown:
      return VTERM_KEY_PAGEDOWN;
    case Key::kFunction:
      return static_cast<VTermKey>(VTERM_KEY_FUNCTION(stroke.number));
  }
  return VTERM_KEY_NONE;
}

// For these keys libvterm sends sequences that programs must request first.
KeyStroke as_xterm(KeyStroke stroke) {
  const bool tab = stroke.key == Key::kTab;
  if (tab || stroke.key == Key::kEnter || stroke.key == Key::kBackspace ||
      stroke.key == Key::kEscape) {
    stroke.control = false;
    stroke.shift = stroke.shift && tab;
  }
  return stroke;
}

VTermModifier modifiers_of(const KeyStroke& stroke) {
  return static_cast<VTermModifier>((stroke.shift ? VTERM_MOD_SHIFT : 0) |
                                    (stroke.alt ? VTERM_MOD_ALT : 0) |
                                    (stroke.control ? VTERM_MOD_CTRL : 0));
}

// Control characters in pasted text could end the paste, or act as keys.
std::string pasted(std::string_view text) {
  std::string kept;
  for (const char byte : text) {
    if (byte == '\n') {
      kept += '\r';
    } else if (byte == '\t' || !is_seven_bit(byte) || (byte >= ' ' && byte != '\x7f')) {
      kept += byte;
    }
  }
  return kept;
}

}  // namespace

struct Screen::Terminal {
  Terminal(Screen& owner, TerminalSize size) : vterm(::vterm_new(size.rows, size.cols)) {
    ::vterm_set_utf8(vterm, 1);
    ::vterm_output_set_callback(vterm, on_output, &owner);
    screen = ::vterm_obtain_screen(vterm);
    ::vterm_screen_set_callbacks(screen, &kCallbacks, &owner);
    ::vterm_screen_enable_altscreen(screen, 1);
    ::vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_ROW);
    ::vterm_screen_reset(screen, 1);
  }
  ~Terminal() { ::vterm_free(vterm); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  static Screen& screen_of(void* user) { return *static_cast<Screen*>(user); }
  static void on_output(const char* bytes, std::size_t length, void* user) noexcept {
    Screen& screen = screen_of(user);
    if (screen.collected_ != nullptr) {
      screen.collected_->append(bytes, length);
    } else if (screen.answer_) {
      screen.answer_({bytes, length});
    }
  }
  static int on_damage(VTermRect rect, void* user) noexcept {
    screen_of(user).mark_dirty(rect.start_row, rect.end_row);
    return 1;
  }
  static int on_move_cursor(VTermPos, VTermPos, int, void* user) noexcept {
    screen_of(user).still_bytes_ = 0;
    return 1;
  }
  static int on_property(VTermProp property, VTermValue* value, void* user) noexcept {
    Screen& screen = screen_of(user);
    if (property == VTERM_PROP_CURSORVISIBLE) screen.cursor_visible_ = value->boolean != 0;
    if (property == VTERM_PROP_ALTSCREEN) screen.alternate_ = value->boolean != 0;
    if (property == VTERM_PROP_TITLE && value->string != nullptr) {
      screen.title_ = clean(std::string_view(value->string).substr(0, kMaxTitleBytes));
    }
    return 1;
  }
  static int on_push_line(int cols, const VTermScreenCell* cells, void* user) noexcept {
    screen_of(user).push_scrollback(text_of({cells, static_cast<std::size_t>(cols)}));
    return 1;
  }

  static constexpr VTermScreenCallbacks kCallbacks = {
      .damage = on_damage,
      .movecursor = on_move_cursor,
      .settermprop = on_property,
      .sb_pushline = on_push_line,
  };

  VTerm* vterm;
  VTermScreen* screen = nullptr;
};

Screen::Screen(TerminalSize size, std::function<void(std::string_view)> answer)
    : size_(clamp_terminal_size(size.rows, size.cols)),
      rows_(size_.rows),
      dirty_(size_.rows, true) {
  terminal_ = std::make_unique<Terminal>(*this, size_);
  answer_ = std::move(answer);
}

Screen::~Screen() = default;

// Bounds characters that do not move the cursor: libvterm combines them into one.
bool Screen::may_grow(std::string_view piece) {
  if (is_seven_bit(piece.front())) return true;
  still_bytes_ += piece.size();
  return still_bytes_ <= kMaxStillBytes;
}

void Screen::feed(std::string_view bytes) {
  filter_.pass(bytes, size_.cols, [this](std::string_view safe) { write(safe); });
  ::vterm_screen_flush_damage(terminal_->screen);
}

void Screen::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = first_piece(bytes);
    bytes.remove_prefix(piece.size());
    if (may_grow(piece)) ::vterm_input_write(terminal_->vterm, piece.data(), piece.size());
  }
  const ScreenCursor at = cursor();
  if (at.row < 0 || at.row >= size_.rows || at.col < 0 || at.col > size_.cols) move_cursor(at);
}

// Moves to the nearest valid place: libvterm keeps places from before a resize.
void Screen::move_cursor(ScreenCursor to) {
  const auto place = [](int wanted, int most) {
    return std::to_string(std::clamp(wanted, 0, most - 1) + 1);
  };
  const std::string bytes =
      "\x1b[" + place(to.row, size_.rows) + ";" + place(to.col, size_.cols) + "H";
  ::vterm_input_write(terminal_->vterm, bytes.data(), bytes.size());
}

void Screen::resize(TerminalSize size) {
  size = clamp_terminal_size(size.rows, size.cols);
  if (size == size_) return;
  size_ = size;
  ::vterm_set_size(terminal_->vterm, size.rows, size.cols);
  // Resets scroll regions, as xterm does; they may be outside too.
  const ScreenCursor at = cursor();
  ::vterm_input_write(terminal_->vterm, kWholeScreen.data(), kWholeScreen.size());
  move_cursor(at);
  ::vterm_screen_flush_damage(terminal_->screen);
  rows_.resize(size.rows);
  dirty_.assign(size.rows, true);
  any_dirty_ = true;
}

ScreenCursor Screen::cursor() const {
  VTermPos position{};
  ::vterm_state_get_cursorpos(::vterm_obtain_state(terminal_->vterm), &position);
  return {position.row, position.col, cursor_visible_};
}

void Screen::mark_dirty(int from, int to) {
  // During a resize libvterm already uses the new size.
  const int rows = static_cast<int>(dirty_.size());
  for (int row = std::max(from, 0); row < std::min(to, rows); ++row) {
    dirty_[static_cast<std::size_t>(row)] = true;
  }
  any_dirty_ = true;
}

void Screen::look() {
  if (!std::exchange(any_dirty_, false)) return;
  const std::uint64_t next = version_ + 1;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (!dirty_[row]) continue;
    dirty_[row] = false;
    ScreenRow now = read_row(static_cast<int>(row));
    ScreenRow& known = rows_[row];
    if (now.text == known.text && now.spans == known.spans) continue;
    known = std::move(now);
    known.changed = version_ = next;
  }
}

ScreenRow Screen::read_row(int row) const {
  std::vector<VTermScreenCell> cells(size_.cols);
  for (int col = 0; col < size_.cols; ++col) {
    ::vterm_screen_get_cell(terminal_->screen, {row, col}, &cells[static_cast<std::size_t>(col)]);
  }
  ScreenRow read;
  read.text = text_of(cells);
  read.spans = spans_of(cells);
  return read;
}

std::uint64_t Screen::version() {
  look();
  return version_;
}

const std::vector<ScreenRow>& Screen::rows() {
  look();
  return rows_;
}

void Screen::push_scrollback(std::string line) {
  ++scrolled_;
  scrollback_bytes_ += line.size();
  scrollback_.push_back(std::move(line));
  while (scrollback_.size() > kMaxScrollbackLines || scrollback_bytes_ > kMaxScrollbackBytes) {
    scrollback_bytes_ -= scrollback_.front().size();
    scrollback_.pop_front();
  }
}

std::string Screen::collect(const std::function<void()>& send) {
  std::string bytes;
  collected_ = &bytes;
  send();
  collected_ = nullptr;
  return bytes;
}

std::string Screen::encode(const std::vector<KeyStroke>& strokes) {
  return collect([&] {
    for (const KeyStroke& stroke : strokes) {
      const VTermModifier modifiers = modifiers_of(as_xterm(stroke));
      if (stroke.control && stroke.key == Key::kBackspace) {
        *collected_ += stroke.alt ? "\x1b\b" : "\b";
      } else if (stroke.key != Key::kCharacter) {
        ::vterm_keyboard_key(terminal_->vterm, vterm_key(stroke), modifiers);
      } else if (const std::string plain = plain_bytes(stroke); !plain.empty()) {
        *collected_ += plain;
      } else {
        ::vterm_keyboard_unichar(terminal_->vterm, stroke.character, modifiers);
      }
    }
  });
}

std::string Screen::encode_paste(std::string_view text) {
  return collect([&] {
    ::vterm_keyboard_start_paste(terminal_->vterm);
    *collected_ += pasted(text);
    ::vterm_keyboard_end_paste(terminal_->vterm);
  });
}

}  // namespace gibbous
