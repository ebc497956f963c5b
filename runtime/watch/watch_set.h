// WatchSet: the watchers of one run, over its output and the screen of its terminal. The owner
// feeds it chunks, says when to look at the screen, and receives the matches; compiled patterns are
// shared (watch_patterns.h). Watchers that are added later form another set, which first gets the
// output that is still kept. Loop thread only.
//
// What a match is: RE2 finds the regex anywhere in a line as a person sees it, that is in clean()
// (runtime/output/text.h) of the line without "\n" or "\r\n": escape sequences and other controls
// are gone, "\r" and backspace are resolved, invalid UTF-8 is U+FFFD. So a progress line that was
// redrawn is matched as it was left, and the text of a match is what was matched. Of a line the
// first kMaxMatchedBytes count. A watcher tells of a line at most once, of the leftmost match.
// The answers are those of matching each line by itself, however the output was cut into chunks.
//
// On a screen, which is not output but what is left of it, RE2 finds the regex anywhere in a row. A
// watcher tells of a row when it has not seen it yet: screen_memory.h says what that means.
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
  // order of their lines and, on one line, of the watchers. A match that waits for the lines after
  // it is reported once they have come.
  WatchSet(std::shared_ptr<const WatchPatterns> patterns, WatchSink* sink);
  ~WatchSet();
  WatchSet(const WatchSet&) = delete;
  WatchSet& operator=(const WatchSet&) = delete;

  // Bytes [from, from + bytes.size()) of the stream. What was fed before is left out; when bytes
  // are missing before them, that is skip_to().
  void feed(WatchStream stream, Offset from, std::string_view bytes);
  // The next bytes are those from `offset` on, and belong to line `line_number`: where a set begins
  // in the middle of a stream, or after bytes that are gone. What came before is ended, and what is
  // left of a line is matched as one.
  void skip_to(WatchStream stream, Offset offset, std::uint64_t line_number);
  // Looks at the unfinished line now (a prompt), and tells of matches that wait for more lines: for
  // when nothing has come for a while. Costs nothing when nothing came since the last time. Who has
  // matched the line unfinished does not match it again when it has grown or ended.
  void flush_partial(WatchStream stream);
  // The stream is over: a last line without an end is a line.
  void end(WatchStream stream);
  // Looks at what a terminal shows, always the same one.
  void look(Screen& screen, ScreenLook look) { screen_.look(screen, look); }
  bool wants_screen() const { return screen_.wanted(); }

  // No watcher can ever match again, because all were for once.
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
