// Both ways of searching share this part; check_*() confirms what they find.
#include "runtime/watch/literal_finder.h"

#include <algorithm>

#include "runtime/watch/literal_bytes.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxPairs = 4;

}  // namespace

LiteralFinder::LiteralFinder(std::vector<std::string> literals) : literals_(std::move(literals)) {
  if (literals_.size() <= kMaxPairs) {
    choose_pairs();
  } else {
    choose_grams();
  }
}

void LiteralFinder::find(std::string_view text, std::vector<LiteralHit>* hits) const {
  if (literals_.empty()) return;
  pairs_.empty() ? find_grams(text, hits) : find_pairs(text, hits);
}

}  // namespace gibbous
