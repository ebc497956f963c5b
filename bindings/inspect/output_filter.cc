// See output_filter.h.
#include "bindings/inspect/output_filter.h"

#include <algorithm>
#include <utility>

#include "runtime/output/escape.h"
#include "runtime/output/text.h"
#include "runtime/output/utf8.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxColourBytes = 64;

bool is_plain(char byte) {
  return (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t';
}

// Only CSI, numbers and 'm' set colours.
bool sets_colours(std::string_view sequence) {
  constexpr std::string_view kStart = "\x1b[";
  return sequence.size() <= kMaxColourBytes && sequence.size() > kStart.size() &&
         sequence.compare(0, kStart.size(), kStart) == 0 && sequence.back() == 'm' &&
         sequence.find_first_not_of("0123456789;:", kStart.size()) == sequence.size() - 1;
}

bool resets_colours(std::string_view sequence) {
  return sequence == "\x1b[m" || sequence == kResetColours;
}

std::size_t incomplete_tail(std::string_view bytes) {
  const std::size_t escape = incomplete_escape_tail(bytes);
  return escape > 0 ? escape : incomplete_utf8_tail(bytes);
}

}  // namespace

std::string OutputFilter::feed(std::string_view bytes) {
  const std::string joined = held_.empty() ? std::string() : std::exchange(held_, {}).append(bytes);
  const std::string_view all = joined.empty() ? bytes : std::string_view(joined);
  std::size_t tail = incomplete_tail(all);
  // A '\r' at the end may belong to "\r\n".
  if (tail == 0 && form_ == Form::kPlain && !all.empty() && all.back() == '\r') tail = 1;
  std::string text;
  text.reserve(all.size());
  pass(all.substr(0, all.size() - tail), text);
  held_ = all.substr(all.size() - tail);
  return text;
}

std::string OutputFilter::finish() {
  std::string text;
  pass(std::exchange(held_, {}), text);
  return text;
}

void OutputFilter::pass(std::string_view bytes, std::string& text) {
  while (!bytes.empty()) {
    const auto end = std::find_if_not(bytes.begin(), bytes.end(), is_plain);
    const auto plain = static_cast<std::size_t>(end - bytes.begin());
    text.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    if (!bytes.empty()) bytes.remove_prefix(special(bytes, text));
  }
}

// Handles bytes that begin with a special one. Returns how many it has used.
std::size_t OutputFilter::special(std::string_view bytes, std::string& text) {
  const bool colour = form_ == Form::kColour;
  if (bytes[0] == '\r') {
    const bool ends_line = bytes.size() > 1 && bytes[1] == '\n';
    if (colour || !ends_line) text += '\r';
    return 1;
  }
  if (const Escape escape = escape_at(bytes); escape.size > 0) {
    const std::string_view sequence = bytes.substr(0, escape.size);
    if (colour && (keeps(sequence) || escape.effect != EscapeEffect::kNone)) text += sequence;
    return escape.size;
  }
  if (static_cast<unsigned char>(bytes[0]) >= 0x80) {
    const Utf8Step step = utf8_step(bytes);
    text += step.valid ? bytes.substr(0, step.size) : kReplacement;
    return step.size;
  }
  if (colour && bytes[0] == '\b') text += '\b';
  return 1;
}

bool OutputFilter::keeps(std::string_view sequence) {
  if (!sets_colours(sequence)) return false;
  coloured_ = !resets_colours(sequence);
  return true;
}

}  // namespace gibbous::inspect
