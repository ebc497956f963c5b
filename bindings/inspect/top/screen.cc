// See screen.h.
#include "bindings/inspect/top/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace gibbous::top {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
// Terminals that support synchronised output show a whole frame at once.
constexpr std::string_view kBeginFrame = "\x1b[?2026h\x1b[H";
constexpr std::string_view kEndFrame = "\x1b[?2026l";
constexpr std::string_view kEndLine = "\x1b[0m\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";
constexpr int kPatienceMillis = 1'000;  // for a terminal that does not take output
constexpr std::size_t kReadBytes = 256;

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    pollfd file{fd, POLLOUT, 0};
    if (errno != EAGAIN || ::poll(&file, 1, kPatienceMillis) <= 0) return;
  }
}

}  // namespace

Result<std::unique_ptr<Screen>> Screen::create(int in, int out) {
  termios before{};
  if (::isatty(out) != 1 || ::tcgetattr(in, &before) != 0) {
    return Status::error("not_a_terminal",
                         "top needs a terminal to draw on; 'gibbous ps' prints the same once");
  }
  std::unique_ptr<Screen> screen(new Screen(in, out, before));
  screen->enter();
  return screen;
}

Screen::~Screen() {
  leave();
}

void Screen::enter() {
  if (entered_) return;
  termios raw = before_;
  ::cfmakeraw(&raw);
  (void)::tcsetattr(in_, TCSAFLUSH, &raw);
  write_all(out_, kEnter);
  entered_ = true;
}

void Screen::leave() {
  if (!entered_) return;
  write_all(out_, kLeave);
  (void)::tcsetattr(in_, TCSAFLUSH, &before_);
  entered_ = false;
}

ScreenSize Screen::size() const {
  winsize size{};
  ScreenSize known;
  if (::ioctl(out_, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    known = {.rows = size.ws_row, .columns = size.ws_col};
  }
  return known;
}

void Screen::draw(const std::vector<std::string>& lines) {
  const std::size_t rows = std::min(lines.size(), size().rows);
  std::string frame(kBeginFrame);
  for (std::size_t row = 0; row < rows; ++row) {
    if (row > 0) frame += "\r\n";
    frame += lines[row];
    frame += kEndLine;
  }
  frame += kClearBelow;
  frame += kEndFrame;
  write_all(out_, frame);
}

bool Screen::read(std::string& bytes) {
  std::array<char, kReadBytes> buffer{};
  const ssize_t size = ::read(in_, buffer.data(), buffer.size());
  if (size > 0) bytes.assign(buffer.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

}  // namespace gibbous::top
