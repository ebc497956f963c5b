#include "runtime/process/typed_line.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>

namespace gibbous {

std::size_t TypedLine::type(int master, std::string_view bytes) {
  termios now{};
  if (::tcgetattr(master, &now) != 0 || (now.c_lflag & ICANON) == 0) {
    *this = {};  // what is left when that changes is a line of its own
    return 0;
  }
  const auto is = [&now](int key, char byte) {
    return now.c_cc[key] != _POSIX_VDISABLE && now.c_cc[key] == static_cast<cc_t>(byte);
  };
  const bool flushes = (now.c_lflag & ISIG) != 0 && (now.c_lflag & NOFLSH) == 0;
  // With PARMRK, the kernel reckons with three bytes for each.
  const std::size_t each = (now.c_iflag & PARMRK) != 0 ? 3 : 1;
  std::size_t line = bytes_;
  bool quoted = quoted_;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    char byte = bytes[at];
    if (byte == '\r' && (now.c_iflag & IGNCR) != 0) continue;
    if (byte == '\r' && (now.c_iflag & ICRNL) != 0) {
      byte = '\n';
    } else if (byte == '\n' && (now.c_iflag & INLCR) != 0) {
      byte = '\r';
    }
    const bool ends = byte == '\n' || is(VEOF, byte) || is(VEOL, byte) || is(VEOL2, byte) ||
                      is(VKILL, byte) ||
                      (flushes && (is(VINTR, byte) || is(VQUIT, byte) || is(VSUSP, byte)));
    const bool is_erased = !quoted && is(VERASE, byte);
    if (is_erased) {
      line -= std::min(line, each);
    } else {
      line = ends && !quoted ? 0 : line + each;
    }
    quoted = !quoted && (now.c_lflag & IEXTEN) != 0 && is(VLNEXT, byte);
    if (line > kMaxTypedLine) {
      return line + std::min(bytes.find_first_of("\r\n", at), bytes.size()) - at - 1;
    }
  }
  bytes_ = line;
  quoted_ = quoted;
  return 0;
}

}  // namespace gibbous
