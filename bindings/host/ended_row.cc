#include "bindings/host/ended_row.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/host/redacted_words.h"
#include "bindings/json/text.h"
#include "bindings/lua/policy/redaction_record.h"

namespace gibbous::host {
namespace {

constexpr const char* kMask = "***";
constexpr std::size_t kMaxKnown = 64;

// Redacts the text of one run. Without a redactor, all of it.
class RowText {
 public:
  explicit RowText(const Redactor* redactor) : redactor_(redactor) {}

  std::string text(const std::string& given) const {
    if (given.empty()) return given;
    return redactor_ != nullptr ? redactor_->redact(given) : kMask;
  }
  void strings(Json& value) const {
    if (value.is_string()) {
      value = text(value.get_ref<const std::string&>());
    } else if (value.is_structured()) {
      for (Json& each : value) strings(each);
    }
  }
  Json words(const Json& argv) const {
    if (redactor_ == nullptr || !argv.is_array()) return kMask;
    return redacted_words(argv, *redactor_);
  }

 private:
  const Redactor* redactor_;
};

// Compiles the patterns of many runs, those that are equal once.
class KnownRedactors {
 public:
  // `meta` is the run's. Null when its patterns cannot be read.
  std::shared_ptr<const Redactor> of(const Json& meta) {
    const auto record = meta.find(lua::kRedactionMember);
    if (record == meta.end()) return std::make_shared<const Redactor>();
    std::string text = to_text(*record);
    if (const auto found = known_.find(text); found != known_.end()) return found->second;
    auto made = recorded_redactor(*record);
    auto redactor = made ? std::make_shared<const Redactor>(std::move(*made)) : nullptr;
    if (known_.size() >= kMaxKnown) known_.clear();
    known_.emplace(std::move(text), redactor);
    return redactor;
  }

 private:
  std::map<std::string, std::shared_ptr<const Redactor>> known_;
};

std::string redacted_json(const std::string& given, const RowText& row) {
  if (given.empty()) return given;
  Json value = Json::parse(given, nullptr, false);
  if (value.is_discarded()) return "";
  row.strings(value);
  return to_text(value);
}

std::string redacted_meta(Json meta, const RowText& row) {
  for (const char* name : {"start", "queued"}) meta.erase(name);
  for (const char* name : {"label", "cwd"}) {
    if (const auto found = meta.find(name); found != meta.end()) row.strings(*found);
  }
  if (const auto argv = meta.find("argv"); argv != meta.end()) *argv = row.words(*argv);
  return to_text(meta);
}

}  // namespace

Result<Redactor> recorded_redactor(const Json& record) {
  const Status unreadable = Status::error("journal_corrupt", "the redact patterns are unreadable");
  if (!record.is_object() || record.size() != 1) return unreadable;
  const auto found = record.find("patterns");
  if (found == record.end() || !found->is_array()) return unreadable;
  std::vector<std::string> patterns;
  for (const Json& each : *found) {
    if (!each.is_string()) return unreadable;
    patterns.push_back(each.get<std::string>());
  }
  return Redactor::create(patterns, kMaxRecordedPatterns);
}

RedactRun row_redactor() {
  struct Shared {
    std::mutex mutex;
    KnownRedactors redactors;
  };
  return [shared = std::make_shared<Shared>()](RunRecord& run) {
    const Json meta = parse_object(run.meta_json, kMaxJournalTextBytes);
    const bool unreadable = meta.empty() && !run.meta_json.empty() && run.meta_json != "{}";
    std::shared_ptr<const Redactor> redactor;
    if (!unreadable) {
      const std::lock_guard lock(shared->mutex);
      redactor = shared->redactors.of(meta);
    }
    const RowText row(redactor.get());
    run.command = row.text(run.command);
    run.error_message = row.text(run.error_message);
    run.watch_json = redacted_json(run.watch_json, row);
    // Text that cannot be read stays unreadable, so that views redact everything.
    run.meta_json = unreadable ? kMask : meta.empty() ? run.meta_json : redacted_meta(meta, row);
  };
}

}  // namespace gibbous::host
