// ScreenMemory: what a watcher has seen on a screen, so that it reports what is shown only once.
// ScreenLane has one for each watcher. Pure, one thread.
//
// A row that matches is known when one of these was seen before and is not taken by another row:
// 1. the same line, in the row from which it has scrolled to here;
// 2. the same line in the same row: a screen that looks the same is not new, however much has
// passed in between;
// 3. the same match text in any row that has not scrolled off the top.
// So texts are counted: if there was one and now there are two, one is new.
//
// A look while output goes on may see half a picture, so nothing counts as gone until it is missing
// twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/watch/screen_pace.h"

namespace gibbous {

// A row that matches. Texts are kept as hashes, because there may be many and they are only
// compared.
struct Sighting {
  int row = 0;           // from 0
  std::size_t line = 0;  // hash of the row
  std::size_t text = 0;  // hash of what the regex matched
  bool known = false;
};

class ScreenMemory {
 public:
  // Finds out which of the rows that match now are known, and remembers them all. `scrolled` rows
  // have left the top since the last look. A missing row is forgotten when the screen is settled;
  // otherwise it may not be redrawn yet, and must be missing twice.
  void look(std::vector<Sighting>* now, int scrolled, ScreenLook look);
  void clear() { seen_.clear(); }

 private:
  struct Seen {
    int row = 0;
    std::size_t line = 0;
    std::size_t text = 0;
    unsigned missed = 0;  // consecutive looks without it
    bool found = false;
  };

  template <typename Same>
  void recognise(std::vector<Sighting>* now, Same same);
  void keep(const std::vector<Sighting>& now, ScreenLook look);

  std::vector<Seen> seen_;
};

}  // namespace gibbous
