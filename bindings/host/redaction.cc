// See redaction.h.
#include "bindings/host/redaction.h"

#include <utility>
#include <vector>

#include "bindings/host/redacted_words.h"
#include "bindings/json/text.h"
#include "bindings/lua/policy/redaction_record.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxKnown = 64;

// Text that is no object, and so may have had patterns.
bool is_unreadable(const RunRecord& run, const Json& meta) {
  return meta.empty() && !run.meta_json.empty() && run.meta_json != "{}";
}

// Fails when the record is anything but patterns that can be compiled.
Result<Redactor> recorded_redactor(const Json& record) {
  const Status unreadable = Status::error("journal_corrupt", "the redact patterns are unreadable");
  if (!record.is_object() || record.size() != 1 || !record.contains("patterns")) return unreadable;
  std::vector<std::string> patterns;
  if (!lua::read_patterns(record, &patterns)) return unreadable;
  return Redactor::create(patterns, kMaxRecordedPatterns);
}

}  // namespace

std::string Redaction::redact(std::string_view text) const {
  if (everything_) {
    const std::size_t last = text.find_last_not_of("\r\n");
    if (last == std::string_view::npos) return std::string(text);
    return std::string(kMask).append(text.substr(last + 1));
  }
  return redactor_ ? redactor_->redact(text) : redact_secrets(text);
}

std::vector<std::string> Redaction::redact_pieces(
    const std::vector<std::string_view>& pieces) const {
  if (!everything_) return (redactor_ ? *redactor_ : Redactor()).redact_pieces(pieces);
  std::vector<std::string> redacted;
  for (const std::string_view piece : pieces) redacted.push_back(redact(piece));
  return redacted;
}

void Redaction::redact_strings(Json& value) const {
  if (value.is_string()) {
    value = redact(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (Json& each : value) redact_strings(each);
  }
}

Json Redaction::redact_words(const Json& argv) const {
  if (everything_ || !argv.is_array()) return kMask;
  return host::redacted_words(argv, redactor_ ? *redactor_ : Redactor());
}

Redaction Redactions::of(const RunRecord& run, const Json& meta) {
  Redaction redaction;
  const auto record = meta.find(lua::kRedactionMember);
  if (record == meta.end()) {
    redaction.everything_ = is_unreadable(run, meta);
    return redaction;
  }
  std::string text = to_text(*record);
  if (const auto known = known_.find(text); known != known_.end()) return known->second;
  if (auto made = recorded_redactor(*record); made) {
    redaction.redactor_ = std::make_shared<const Redactor>(std::move(*made));
  }
  redaction.everything_ = redaction.redactor_ == nullptr;
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(std::move(text), redaction);
  return redaction;
}

}  // namespace gibbous
