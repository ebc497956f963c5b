#include "bindings/lua/api/record_value.h"

#include "bindings/lua/policy/redaction_record.h"
#include "runtime/output/text.h"

namespace gibbous::lua {
namespace {

// Others can write the journal's file, so text that is no object is left out.
Json object_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_object() ? value : Json();
}

}  // namespace

Json run_record_value(const RunRecord& record) {
  Json value = {{"id", record.run_id},
                {"session", record.session_id},
                {"state", state_of(record)},
                {"command", to_utf8(record.command)},
                {"queued_ms", record.queued_at},
                {"last_seq", record.last_seq},
                {"output_bytes", record.output_bytes},
                {"not_kept_items", record.not_kept_items}};
  if (record.has_exit_code) value["exit_code"] = record.exit_code;
  if (!record.error_message.empty()) value["reason"] = to_utf8(record.error_message);
  if (record.started_at != 0) value["started_ms"] = record.started_at;
  if (record.finished_at != 0) value["ended_ms"] = record.finished_at;
  if (Json meta = object_of(record.meta_json); !meta.is_null()) {
    meta.erase(kRedactionMember);  // it is for people's views, and a pattern may name a secret
    value["meta"] = std::move(meta);
  }
  return value;
}

Json item_value(const StoredItem& item) {
  Json value = {{"seq", item.seq},
                {"type", to_string(item.type)},
                {"payload", to_utf8(item.payload)},
                {"created_ms", item.created_at}};
  if (Json meta = object_of(item.meta); !meta.is_null()) value["meta"] = std::move(meta);
  return value;
}

}  // namespace gibbous::lua
