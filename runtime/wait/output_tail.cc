// Collects the last output of the run for the message of a failed wait.
#include <string>
#include <string_view>

#include "runtime/output/text.h"
#include "runtime/wait/wait_operation.h"

namespace gibbous {
namespace {

constexpr std::uint64_t kTailLines = 20;
constexpr std::size_t kTailBytes = std::size_t{4} << 10;

std::string stream_tail(const Stream& stream, std::uint64_t lines, std::size_t max_bytes) {
  std::string text = clean(stream.tail(lines, max_bytes).bytes);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > max_bytes) {  // U+FFFD is longer than the bytes that it replaces
    text.erase(0, text.size() - max_bytes);
    while (!text.empty() && !is_utf8(text.substr(0, 4))) text.erase(0, 1);
  }
  return text;
}

}  // namespace

std::string output_tail(const Run& run) {
  const Stream& out = run.stream(StreamId::kStdout);
  const Stream& err = run.stream(StreamId::kStderr);
  if (err.end() == 0) return stream_tail(out, kTailLines, kTailBytes);
  if (out.end() == 0) return stream_tail(err, kTailLines, kTailBytes);
  constexpr std::string_view kOutTitle = "[stdout]\n";
  constexpr std::string_view kErrTitle = "\n[stderr]\n";
  constexpr std::size_t kHalfBytes = (kTailBytes - kOutTitle.size() - kErrTitle.size()) / 2;
  std::string tail(kOutTitle);
  tail += stream_tail(out, kTailLines / 2, kHalfBytes);
  tail += kErrTitle;
  tail += stream_tail(err, kTailLines / 2, kHalfBytes);
  return tail;
}

}  // namespace gibbous
