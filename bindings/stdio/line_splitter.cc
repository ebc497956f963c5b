// See line_splitter.h. A line that came whole in one read is never copied.
#include "bindings/stdio/line_splitter.h"

#include <utility>

namespace gibbous::stdio {

LineSplitter::LineSplitter(Handlers handlers, std::size_t max_line_bytes)
    : handlers_(std::move(handlers)), max_line_bytes_(max_line_bytes) {}

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      hold(bytes);
      return;
    }
    const std::string_view piece = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (skipping_) {
      skipping_ = false;
    } else if (held_.empty()) {
      emit(piece);
    } else {
      hold(piece);
      // hold() may have found the line too long; its end has come already.
      if (!std::exchange(skipping_, false)) {
        const std::string line = std::exchange(held_, {});
        emit(line);
      }
    }
  }
}

void LineSplitter::finish() {
  skipping_ = false;
  const std::string line = std::exchange(held_, {});
  emit(line);
}

void LineSplitter::emit(std::string_view line) {
  if (line.size() > max_line_bytes_) {
    handlers_.on_oversized();
    return;
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  handlers_.on_line(line);
}

void LineSplitter::hold(std::string_view bytes) {
  if (skipping_) return;
  if (held_.size() + bytes.size() > max_line_bytes_) {
    std::exchange(held_, {});
    skipping_ = true;
    handlers_.on_oversized();
    return;
  }
  held_.append(bytes);
}

}  // namespace gibbous::stdio
