// WatchSet: the watchers of one run, over its output and the screen of its terminal. The owner
// feeds it chunks, says when to look at the screen, and receives the matches; compiled patterns are
// shared (watch_patterns.h). Watchers that are added later form another set, which first gets the
// output that is still kept. Loop thread only.
//
// Definition of a match: RE2 finds the regex anywhere in a line as a person sees it, that is in
// clean() (runtime/output/text.h) of the line without "\n" or "\r\n": escape sequences and other
// controls are gone, "\r" and backspace are resolved, invalid UTF-8 is U+FFFD. So a redrawn
// progress line is matched in its last form, and the text of a match is what was matched. Only the
// first kMaxMatchedBytes of a line count. A watcher reports a line at most once, with the leftmost
// match. The results are those of matching each line by itself, however the output was cut into
// chunks.
//
// On a screen, which shows what is left of output, RE2 finds the regex anywhere in a row. A watcher
// reports a row that it has not seen yet; screen_memory.h defines that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/watch/screen_lane.h"
#include "runtime/watch/watch_lane.h"
#include "runtime/watch/watch_match.h"
#include "runtime/watch/watch_patterns.h"

namespace gibbous {

class WatchSet {
 public:
  // The sink must outlive the set. The methods below call it for the matches of a stream in the
  // order of their lines and, on one line, of the watchers. A match that needs the lines after it
  // is reported once they have come.
  WatchSet(std::shared_ptr<const WatchPatterns> patterns, WatchSink* sink);
  ~WatchSet();
  WatchSet(const WatchSet&) = delete;
  WatchSet& operator=(const WatchSet&) = delete;

  // Takes bytes [from, from + bytes.size()) of the stream. Ignores what was fed before; missing
  // bytes before `from` mean skip_to().
  void feed(WatchStream stream, Offset from, std::string_view bytes);
  // The next bytes begin at `offset`, on line `line_number`: the set begins in the middle of a
  // stream, or bytes are gone. Ends what came before; the remainder of a line is matched as a line.
  void skip_to(WatchStream stream, Offset offset, std::uint64_t line_number);
  // Examines the unfinished line now (a prompt), and reports matches that wait for more lines. The
  // owner calls it when nothing has come for a while. Costs nothing when nothing came since the
  // last time. A watcher that has matched the unfinished line does not match it again when it has
  // grown or ended.
  void flush_partial(WatchStream stream);
  // Ends the stream. A last line without an end is a line.
  void end(WatchStream stream);
  // Examines what the terminal shows; `screen` is always the same.
  void look(Screen& screen, ScreenLook look) { screen_.look(screen, look); }
  bool wants_screen() const { return screen_.wanted(); }

  // Returns true if no watcher can match again, because all were `once`.
  bool spent() const { return active_.none(); }
  const WatchPatterns& patterns() const { return *patterns_; }

 private:
  WatchLane& lane(WatchStream stream) { return lanes_[static_cast<std::size_t>(stream)]; }

  const std::shared_ptr<const WatchPatterns> patterns_;
  WatcherBits active_;
  std::array<WatchLane, kWatchStreams> lanes_;
  ScreenLane screen_;
};

}  // namespace gibbous
