// See output_tail.h.
#include "bindings/inspect/output_tail.h"

#include <utility>

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{16} << 10;
constexpr std::size_t kLineOverhead = 16;  // so that empty lines count, too
constexpr std::string_view kCut = " [the rest of the line is left out]";

}  // namespace

void OutputTail::use(const Redaction& redaction) {
  redaction_ = redaction;
  for (Partial& partial : partial_) partial.redactor.use(redaction);
}

void OutputTail::add(const StoredItem& item) {
  switch (item.type) {
    case ItemType::kStdout:
    case ItemType::kTerminal:
      return add_output(OutputLine::Kind::kOut, item.payload);
    case ItemType::kStderr:
      return add_output(OutputLine::Kind::kError, item.payload);
    case ItemType::kNote:
      return push(OutputLine::Kind::kNote, redaction_.redact(item.payload));
    case ItemType::kEvent:
    case ItemType::kState:
      return;
  }
}

void OutputTail::finish() {
  for (const auto kind : {OutputLine::Kind::kOut, OutputLine::Kind::kError}) {
    if (!partial_[static_cast<std::size_t>(kind)].text.empty()) end_line(kind);
  }
}

void OutputTail::add_output(OutputLine::Kind kind, std::string_view bytes) {
  Partial& partial = partial_[static_cast<std::size_t>(kind)];
  for (;;) {
    const std::size_t end = bytes.find('\n');
    extend(partial, bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    end_line(kind);
    bytes.remove_prefix(end + 1);
  }
}

void OutputTail::extend(Partial& partial, std::string_view bytes) {
  if (partial.is_cut || bytes.empty()) return;
  partial.text += bytes;
  if (partial.text.size() <= kMaxLineBytes) return;
  // A progress bar shows only the text after its last carriage return.
  const std::size_t last = partial.text.rfind('\r', partial.text.size() - 2);
  if (last != std::string::npos) partial.text.erase(0, last);
  if (partial.text.size() <= kMaxLineBytes) return;
  partial.text.resize(kMaxLineBytes);
  partial.text += kCut;
  partial.is_cut = true;
}

void OutputTail::end_line(OutputLine::Kind kind) {
  Partial& partial = partial_[static_cast<std::size_t>(kind)];
  std::string line = partial.redactor.feed(partial.text += '\n');
  line.pop_back();
  partial.text.clear();
  partial.is_cut = false;
  push(kind, std::move(line));
}

std::string OutputTail::open_line() const {
  StreamRedactor redactor = partial_.front().redactor;
  std::string line = redactor.feed(partial_.front().text);
  return line += redactor.flush();
}

void OutputTail::push(OutputLine::Kind kind, std::string text) {
  bytes_ += text.size() + kLineOverhead;
  lines_.push_back({kind, std::move(text)});
  while (bytes_ > max_bytes_ && lines_.size() > 1) {
    bytes_ -= lines_.front().text.size() + kLineOverhead;
    lines_.pop_front();
    ++left_out_;
  }
}

}  // namespace gibbous::inspect
