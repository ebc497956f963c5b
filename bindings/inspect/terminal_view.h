// TerminalView: what a run's terminal shows, drawn again from the journal for `gibbous attach`. The
// rows come from libvterm, so nothing that the run wrote reaches the caller's terminal. Secrets are
// redacted. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bindings/inspect/run_facts.h"
#include "runtime/journal/record.h"

namespace gibbous {
class Screen;
}

namespace gibbous::inspect {

class TerminalView {
 public:
  // Starts with the size that the run's terminal had at its start, or with the last one when the
  // first items are left out.
  explicit TerminalView(const RunFacts& facts, bool is_whole = true);
  ~TerminalView();
  TerminalView(const TerminalView&) = delete;
  TerminalView& operator=(const TerminalView&) = delete;

  // Redacts by the patterns of the run from now on.
  void use(const Redaction& redaction) { redaction_ = redaction; }
  // Takes output and changes of the size, and ignores other items.
  void add(const StoredItem& item);
  TerminalSize size() const;
  // Returns the rows with their colours. Of a terminal with more than `rows` or `columns`, returns
  // the part with the cursor.
  std::vector<std::string> frame(std::size_t rows, std::size_t columns);
  // Returns the rows as text, without the empty ones at the end.
  std::vector<std::string> text();

 private:
  std::vector<std::string> redacted_rows();

  Redaction redaction_;
  std::unique_ptr<Screen> screen_;
};

}  // namespace gibbous::inspect
