// Converts records of the journal to the plain tables of scripts and front ends. Any thread.
#pragma once

#include "bindings/lua/vm/value.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::lua {

// { id, session, state, command, exit_code?, reason?, queued_ms, started_ms?, ended_ms?, last_seq,
// output_bytes, not_kept_items, meta }
Json run_record_value(const RunRecord& record);
// { seq, type, payload, meta?, created_ms }; payload is valid UTF-8.
Json item_value(const StoredItem& item);

}  // namespace gibbous::lua
