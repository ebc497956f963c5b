// See log_text.h.
#include "bindings/inspect/log_text.h"

#include "bindings/inspect/base64.h"
#include "bindings/json/text.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxRemarkBytes = 2'000;
constexpr std::string_view kDim = "\x1b[2m";

// Removes up to `lines` whole lines from the front.
std::string_view without_lines(std::string_view bytes, std::uint64_t& lines) {
  while (lines > 0) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
    --lines;
  }
  return bytes;
}

OutputFilter::Form filter_form(LogForm form) {
  return form == LogForm::kColour ? OutputFilter::Form::kColour : OutputFilter::Form::kPlain;
}

}  // namespace

bool is_output(ItemType type, LogStreams streams) {
  const bool out = type == ItemType::kStdout || type == ItemType::kTerminal;
  const bool err = type == ItemType::kStderr;
  return (out && streams != LogStreams::kStderr) || (err && streams != LogStreams::kStdout);
}

LogText::LogText(LogForm form, LogStreams streams, std::uint64_t skip_lines)
    : form_(form),
      streams_(streams),
      skip_lines_(skip_lines),
      out_(filter_form(form)),
      err_(filter_form(form)) {}

OutputFilter& LogText::filter_of(ItemType type) {
  return type == ItemType::kStderr ? err_ : out_;
}

std::string LogText::item(const StoredItem& item) {
  const bool output_item = is_output(item.type, streams_);
  if (form_ == LogForm::kJson) {
    return output_item || streams_ == LogStreams::kAll ? item_json(item) + "\n" : std::string();
  }
  if (output_item) return output(item);
  return item.type == ItemType::kNote ? remark(item.payload) : std::string();
}

std::string LogText::output(const StoredItem& item) {
  OutputFilter& filter = filter_of(item.type);
  // The filter comes first, because a skipped line may end within a sequence.
  const std::string passed = filter.feed(item.payload);
  const std::string text(without_lines(passed, skip_lines_));
  if (text.empty()) return text;
  std::string before;
  if (last_ != nullptr && last_ != &filter && last_->coloured()) before = kResetColours;
  last_ = &filter;
  in_line_ = text.back() != '\n';
  return before + text;
}

std::string LogText::on_own_line() {
  std::string text;
  if (last_ != nullptr && last_->coloured()) text = kResetColours;
  last_ = nullptr;
  if (in_line_) text += '\n';
  in_line_ = false;
  return text;
}

std::string LogText::remark(std::string_view text) {
  if (form_ == LogForm::kJson) return "";
  std::string line = on_own_line();
  if (form_ == LogForm::kColour) line += kDim;
  line += "[gibbous: " + stdio::printable(text, kMaxRemarkBytes) + "]";
  if (form_ == LogForm::kColour) line += kResetColours;
  return line + "\n";
}

std::string LogText::finish() {
  if (form_ == LogForm::kJson) return "";
  std::string text;
  for (OutputFilter* filter : {&out_, &err_}) {
    const std::string rest = filter->finish();
    if (!rest.empty()) in_line_ = rest.back() != '\n';
    text += rest;
  }
  return text + on_own_line();
}

std::string item_json(const StoredItem& item) {
  OrderedJson line = {{"seq", item.seq}, {"type", to_string(item.type)}, {"at", item.created_at}};
  const char* name = "text";
  if (item.type == ItemType::kEvent) name = "event";
  if (item.type == ItemType::kState) name = "state";
  line[name] = to_utf8(item.payload);
  if (!is_utf8(item.payload)) line["base64"] = base64(item.payload);
  if (!item.meta.empty()) line["meta"] = parse_object(item.meta, kMaxJournalTextBytes);
  return to_text(line);
}

}  // namespace gibbous::inspect
