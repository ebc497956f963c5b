// See log_text.h.
#include "bindings/inspect/log_text.h"

#include "bindings/json/base64.h"
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

LogText::LogText(LogForm form, LogStreams streams, std::uint64_t skip_lines, Secrets secrets)
    : form_(form),
      streams_(streams),
      skip_lines_(skip_lines),
      secrets_(secrets),
      out_{OutputFilter(filter_form(form)), {}},
      err_{OutputFilter(filter_form(form)), {}} {}

void LogText::use(const Redaction& redaction) {
  redaction_ = redaction;
  out_.redactor.use(redaction);
  err_.redactor.use(redaction);
}

LogText::Stream& LogText::stream_of(ItemType type) {
  return type == ItemType::kStderr ? err_ : out_;
}

std::string LogText::item(const StoredItem& item) {
  const bool output_item = is_output(item.type, streams_);
  if (form_ == LogForm::kJson) {
    return output_item || streams_ == LogStreams::kAll ? json(item) + "\n" : std::string();
  }
  if (output_item) return output(item);
  return item.type == ItemType::kNote ? remark(item.payload) : std::string();
}

// Output that is not on disk yet may complete a secret, but each item stands alone.
std::string LogText::json(const StoredItem& item) {
  if (secrets_ == Secrets::kShown) return item_json(item, run_id_);
  StoredItem safe = item;
  if (is_output(item.type, LogStreams::kAll)) {
    StreamRedactor& redactor = stream_of(item.type).redactor;
    safe.payload = redactor.feed(item.payload);
    safe.payload += redactor.flush();
  } else {
    safe.payload = redaction_.redact(item.payload);
  }
  if (!item.meta.empty()) {
    Json meta = parse_object(item.meta, kMaxJournalTextBytes);
    redaction_.redact_strings(meta);
    safe.meta = to_text(meta);
  }
  return item_json(safe, run_id_);
}

std::string LogText::output(const StoredItem& item) {
  Stream& stream = stream_of(item.type);
  // Filter before skipping, because a skipped line may end within an escape sequence.
  std::string text = stream.filter.feed(item.payload);
  if (secrets_ == Secrets::kRedacted) text = stream.redactor.feed(text);
  return shown(stream, text);
}

std::string LogText::shown(Stream& stream, const std::string& all) {
  const std::string text(without_lines(all, skip_lines_));
  if (text.empty()) return text;
  std::string before;
  if (last_ != nullptr && last_ != &stream && last_->filter.coloured()) before = kResetColours;
  last_ = &stream;
  in_line_ = text.back() != '\n';
  return before + text;
}

std::string LogText::pause() {
  if (form_ == LogForm::kJson) return "";
  std::string text = shown(out_, out_.redactor.flush());
  return text + shown(err_, err_.redactor.flush());
}

std::string LogText::on_own_line() {
  std::string text;
  if (last_ != nullptr && last_->filter.coloured()) text = kResetColours;
  last_ = nullptr;
  if (in_line_) text += '\n';
  in_line_ = false;
  return text;
}

std::string LogText::remark(std::string_view text) {
  if (form_ == LogForm::kJson) return "";
  std::string line = pause();
  line += on_own_line();
  if (form_ == LogForm::kColour) line += kDim;
  line += "[gibbous: " + stdio::printable(text, kMaxRemarkBytes) + "]";
  if (form_ == LogForm::kColour) line += kResetColours;
  return line + "\n";
}

std::string LogText::finish() {
  if (form_ == LogForm::kJson) return "";
  std::string text;
  for (Stream* stream : {&out_, &err_}) {
    std::string rest = stream->filter.finish();
    if (secrets_ == Secrets::kRedacted) {
      rest = stream->redactor.feed(rest);
      rest += stream->redactor.flush();
    }
    text += shown(*stream, rest);
  }
  return text + on_own_line();
}

std::string item_json(const StoredItem& item, const std::string& run_id) {
  OrderedJson line = OrderedJson::object();
  if (!run_id.empty()) line["run"] = to_utf8(run_id);
  line["seq"] = item.seq;
  line["type"] = to_string(item.type);
  line["at"] = item.created_at;
  const char* name = "text";
  if (item.type == ItemType::kEvent) name = "event";
  if (item.type == ItemType::kState) name = "state";
  line[name] = to_utf8(item.payload);
  if (!is_utf8(item.payload)) line["base64"] = base64(item.payload);
  if (!item.meta.empty()) line["meta"] = parse_object(item.meta, kMaxJournalTextBytes);
  return to_text(line);
}

}  // namespace gibbous::inspect
