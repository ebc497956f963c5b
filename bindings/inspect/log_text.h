// LogText: a run's items as `gibbous logs` prints them: its output as text, with what the journal
// notes about it in between, or each item as a line of JSON. One run, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bindings/inspect/output_filter.h"
#include "runtime/journal/record.h"

namespace gibbous::inspect {

enum class LogStreams : std::uint8_t { kAll, kStdout, kStderr };  // a terminal is stdout

// An item of output that is wanted.
bool is_output(ItemType type, LogStreams streams);

enum class LogForm : std::uint8_t { kColour, kPlain, kJson };

class LogText {
 public:
  // The first `skip_lines` lines of what is given are left out (not of kJson).
  LogText(LogForm form, LogStreams streams, std::uint64_t skip_lines = 0);

  std::string item(const StoredItem& item);
  // Something from us on a line of its own; "" in JSON.
  std::string remark(std::string_view text);
  // At the end: what was held back, a line end where one is missing, colours off.
  std::string finish();

 private:
  OutputFilter& filter_of(ItemType type);
  std::string output(const StoredItem& item);
  std::string on_own_line();

  LogForm form_;
  LogStreams streams_;
  std::uint64_t skip_lines_;
  OutputFilter out_;
  OutputFilter err_;
  OutputFilter* last_ = nullptr;  // whose colours are in force
  bool in_line_ = false;
};

// {"seq":1,"type":"stdout","at":1700000000000,"text":"..."}; bytes that are no UTF-8 also as
// "base64"; the name and the rest of an event as "event" and "meta".
std::string item_json(const StoredItem& item);

}  // namespace gibbous::inspect
