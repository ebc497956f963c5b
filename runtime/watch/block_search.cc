// WatchPatterns::candidates(). Each kind of search finds its lines in order; with several kinds,
// the results are merged.
#include <algorithm>

#include "runtime/watch/required_literals.h"
#include "runtime/watch/watch_patterns.h"

namespace gibbous {
namespace {

std::size_t line_begin(std::string_view block, std::size_t at) {
  if (at == 0) return 0;
  const std::size_t before = block.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t line_end(std::string_view block, std::size_t at) {
  return std::min(block.find('\n', at), block.size());
}

void search(const re2::RE2& regex, std::string_view block, const WatcherBits& watchers,
            std::vector<LineCandidate>* found) {
  for (std::size_t begin = 0; begin <= block.size();) {
    const std::string_view rest = block.substr(begin);
    re2::StringPiece hit;
    if (!regex.Match(rest, 0, rest.size(), re2::RE2::UNANCHORED, &hit, 1)) return;
    const auto at = static_cast<std::size_t>(hit.data() - block.data());
    found->push_back({line_begin(block, at), watchers});
    begin = line_end(block, at) + 1;
  }
}

void each_line(std::string_view block, const WatcherBits& watchers,
               std::vector<LineCandidate>* found) {
  for (std::size_t begin = 0; begin <= block.size(); begin = line_end(block, begin) + 1) {
    found->push_back({begin, watchers});
  }
}

// Sorts the lines and merges the entries of each.
void unite(std::vector<LineCandidate>* found) {
  std::stable_sort(found->begin(), found->end(),
                   [](const LineCandidate& left, const LineCandidate& right) {
                     return left.begin < right.begin;
                   });
  std::size_t kept = 0;
  for (std::size_t at = 1; at < found->size(); ++at) {
    if ((*found)[at].begin == (*found)[kept].begin) {
      (*found)[kept].watchers |= (*found)[at].watchers;
    } else {
      (*found)[++kept] = (*found)[at];
    }
  }
  if (!found->empty()) found->resize(kept + 1);
}

}  // namespace

void WatchPatterns::candidates(std::string_view block, bool folding, const WatcherBits& wanted,
                               std::vector<LineCandidate>* found) const {
  found->clear();
  if (const WatcherBits literal = wanted & by_literal_; !literal.none()) {
    find_literals(block, literal, found);
    if (folding) find_folding(block, literal, found);
  }
  for (const Search& each : searches_) {
    if (const WatcherBits watchers = wanted & each.watchers; !watchers.none()) {
      search(*each.regex, block, watchers, found);
    }
  }
  if (const WatcherBits lines = wanted & by_line_; !lines.none()) each_line(block, lines, found);
  unite(found);
}

void WatchPatterns::find_literals(std::string_view block, const WatcherBits& wanted,
                                  std::vector<LineCandidate>* found) const {
  std::vector<LiteralHit> hits;
  literals_->find(block, &hits);
  std::size_t end = 0;  // of the line of the last candidate
  for (const LiteralHit& hit : hits) {
    const WatcherBits watchers = owners_[hit.literal] & wanted;
    if (watchers.none()) continue;
    if (found->empty() || hit.at >= end) {
      end = line_end(block, hit.at);
      found->push_back({line_begin(block, hit.at), watchers});
    } else {
      found->back().watchers |= watchers;
    }
  }
}

// Finds lines with characters that RE2 takes for ASCII letters. They are rare, and all are tried.
void WatchPatterns::find_folding(std::string_view block, const WatcherBits& wanted,
                                 std::vector<LineCandidate>* found) const {
  for (const std::string_view character : kFoldingCharacters) {
    std::size_t at = 0;
    while ((at = block.find(character, at)) != std::string_view::npos) {
      found->push_back({line_begin(block, at), wanted});
      at = line_end(block, at);
    }
  }
}

}  // namespace gibbous
