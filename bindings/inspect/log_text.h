// LogText: the items of a run as `gibbous logs` prints them, either output as text with the
// journal's notes, or each item as a line of JSON. One run, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bindings/inspect/output_filter.h"
#include "runtime/journal/record.h"

namespace gibbous::inspect {

enum class LogStreams : std::uint8_t { kAll, kStdout, kStderr };  // a terminal is stdout

// Whether the item is output of these streams.
bool is_output(ItemType type, LogStreams streams);

enum class LogForm : std::uint8_t { kColour, kPlain, kJson };

class LogText {
 public:
  // Skips the first `skip_lines` lines of output, except with kJson.
  LogText(LogForm form, LogStreams streams, std::uint64_t skip_lines = 0);

  std::string item(const StoredItem& item);
  // A message of Gibbous on a line of its own; "" with kJson.
  std::string remark(std::string_view text);
  // At the end: the rest of the filters, a missing line end, and a reset of colours.
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
  OutputFilter* last_ = nullptr;  // whose colours are active
  bool in_line_ = false;
};

// {"seq":1,"type":"stdout","at":1700000000000,"text":"..."}. Invalid UTF-8 is added as "base64".
// Events have "event" and "meta".
std::string item_json(const StoredItem& item);

}  // namespace gibbous::inspect
