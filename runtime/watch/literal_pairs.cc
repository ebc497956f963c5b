// The search for a few literals: a place may hold one when the two rarest bytes of it are there.
#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/watch/literal_bytes.h"
#include "runtime/watch/literal_finder.h"

namespace gibbous {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kUnrolled = 4;
constexpr std::size_t kStep = kLanes * kUnrolled;

using Vector = std::uint8_t __attribute__((vector_size(kLanes)));

Vector load_folded(const char* bytes) {
  Vector vector;
  std::memcpy(&vector, bytes, sizeof vector);
  return vector | kFoldBit;
}

Vector all(char byte) {
  return Vector{} + fold(byte);
}

bool any(Vector vector) {
  std::array<std::uint64_t, kLanes / sizeof(std::uint64_t)> words;
  std::memcpy(words.data(), &vector, sizeof vector);
  return (words[0] | words[1]) != 0;
}

struct Needle {
  std::size_t first = 0;
  std::size_t second = 0;
  Vector first_byte{};
  Vector second_byte{};
};

Vector matches(const Needle& needle, const char* bytes) {
  return static_cast<Vector>(load_folded(bytes + needle.first) == needle.first_byte) &
         static_cast<Vector>(load_folded(bytes + needle.second) == needle.second_byte);
}

// Returns the first step of `text` from `begin` on where a needle may lie, or `end`. A whole step
// and the longest needle fit after each place before `end`.
template <std::size_t kNeedles>
std::size_t skip(const std::array<Needle, kNeedles>& needles, const char* text, std::size_t begin,
                 std::size_t end) {
  for (; begin < end; begin += kStep) {
    Vector found{};
    for (std::size_t part = 0; part < kStep; part += kLanes) {
      for (const Needle& needle : needles) found |= matches(needle, text + begin + part);
    }
    if (any(found)) return begin;
  }
  return end;
}

}  // namespace

void LiteralFinder::choose_pairs() {
  for (const std::string& literal : literals_) {
    Pair best;
    std::size_t most = 0;
    for (std::size_t second = 1; second < literal.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        const std::size_t rare = rarity(literal[first]) + rarity(literal[second]);
        // Equal bytes say less than different ones.
        const std::size_t worth = literal[first] == literal[second] ? rare / 2 : rare;
        if (worth + 1 <= most) continue;
        most = worth + 1;
        best = {first, second};
      }
    }
    pairs_.push_back(best);
  }
}

void LiteralFinder::check_pairs(std::string_view text, std::size_t begin, std::size_t end,
                                std::vector<LiteralHit>* hits) const {
  for (std::size_t at = begin; at < end; ++at) {
    for (std::size_t index = 0; index < literals_.size(); ++index) {
      const std::string& literal = literals_[index];
      if (fold(text[at]) == fold(literal[0]) && folded_at(text, at, literal)) {
        hits->push_back({at, index});
      }
    }
  }
}

void LiteralFinder::find_pairs(std::string_view text, std::vector<LiteralHit>* hits) const {
  std::size_t longest = 0;
  for (const std::string& literal : literals_) longest = std::max(longest, literal.size());
  const auto search = [&]<std::size_t kNeedles>(std::array<Needle, kNeedles> needles) {
    for (std::size_t index = 0; index < kNeedles; ++index) {
      const std::string& literal = literals_[index];
      const auto [first, second] = pairs_[index];
      needles[index] = {first, second, all(literal[first]), all(literal[second])};
    }
    std::size_t begin = 0;
    const std::size_t room = longest + kStep;
    if (text.size() > room) {
      const std::size_t end = (text.size() - room) / kStep * kStep;
      while ((begin = skip(needles, text.data(), begin, end)) < end) {
        check_pairs(text, begin, begin + kStep, hits);
        begin += kStep;
      }
    }
    check_pairs(text, begin, text.size(), hits);
  };
  switch (literals_.size()) {
    case 1:
      return search(std::array<Needle, 1>{});
    case 2:
      return search(std::array<Needle, 2>{});
    case 3:
      return search(std::array<Needle, 3>{});
    default:
      return search(std::array<Needle, 4>{});
  }
}

}  // namespace gibbous
