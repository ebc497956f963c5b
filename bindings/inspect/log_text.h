// LogText: the items of a run as `gibbous logs` prints them, either output as text with the
// journal's notes, or each item as a line of JSON. Redacts secrets unless told otherwise. One run,
// one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/inspect/output_filter.h"
#include "bindings/inspect/secrets.h"
#include "runtime/journal/record.h"

namespace gibbous::inspect {

enum class LogStreams : std::uint8_t { kAll, kStdout, kStderr };  // a terminal is stdout

// Returns true when the item is output of these streams.
bool is_output(ItemType type, LogStreams streams);

enum class LogForm : std::uint8_t { kColour, kPlain, kJson };

class LogText {
 public:
  // Skips the first `skip_lines` lines of output, except with kJson.
  LogText(LogForm form, LogStreams streams, std::uint64_t skip_lines = 0,
          Secrets secrets = Secrets::kRedacted);

  // Redacts by the patterns of the run from now on.
  void use(const Redaction& redaction);
  // Makes each line of JSON name this run, for output of several runs.
  void name_run(std::string run_id) { run_id_ = std::move(run_id); }

  // Returns the item's text; redacted text may wait for the end of its line.
  std::string item(const StoredItem& item);
  // Returns the unfinished lines; call it when there are no more items for now.
  std::string pause();
  // Returns a message of Gibbous on a line of its own; "" with kJson.
  std::string remark(std::string_view text);
  // Call it at the end: returns what the filters still hold, a missing line end, and a reset of
  // colours.
  std::string finish();

 private:
  struct Stream {
    OutputFilter filter;
    StreamRedactor redactor;
  };
  Stream& stream_of(ItemType type);
  std::string output(const StoredItem& item);
  std::string json(const StoredItem& item);
  std::string shown(Stream& stream, const std::string& text);
  std::string on_own_line();

  LogForm form_;
  LogStreams streams_;
  std::uint64_t skip_lines_;
  Secrets secrets_;
  std::string run_id_;
  Redaction redaction_;
  Stream out_;
  Stream err_;
  Stream* last_ = nullptr;  // whose colours are active
  bool in_line_ = false;
};

// {"seq":1,"type":"stdout","at":1700000000000,"text":"..."}. Invalid UTF-8 is added as "base64".
// Events have "event" and "meta". With `run_id`, "run" comes first.
std::string item_json(const StoredItem& item, const std::string& run_id = "");

}  // namespace gibbous::inspect
