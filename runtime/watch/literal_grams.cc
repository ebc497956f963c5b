// The search for many literals. It chooses a window in every literal and puts all words ("grams")
// of the window into a table. A window has as many words as there are bytes between two looks, so
// one look falls on one of them wherever the literal lies.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "runtime/watch/literal_bytes.h"
#include "runtime/watch/literal_finder.h"

namespace gibbous {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
constexpr std::size_t kMaxStride = 4;
constexpr unsigned kHashBits = 16;
constexpr unsigned kSlotBits = 12;
constexpr std::size_t kBitsAWord = 64;
constexpr std::size_t kLongerBytes = sizeof(std::uint64_t);

template <typename Word>
Word folded(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word | (static_cast<Word>(~Word{0}) / 0xFF * kFoldBit);
}

// The same when less than a word is left; zeros follow.
template <typename Word>
Word folded_end(std::string_view bytes) {
  std::array<char, sizeof(Word)> padded{};
  std::copy(bytes.begin(), bytes.end(), padded.begin());
  return folded<Word>(padded.data());
}

// Returns a mask of the first bytes of a word in memory.
template <typename Word>
Word mask_of(std::size_t bytes) {
  std::array<char, sizeof(Word)> ones{};
  std::fill_n(ones.begin(), bytes, '\xFF');
  Word mask = 0;
  std::memcpy(&mask, ones.data(), sizeof mask);
  return mask;
}

std::uint32_t hash(std::uint32_t word) {
  constexpr std::uint32_t kGoldenRatio = 0x9E3779B1U;
  return (word * kGoldenRatio) >> (32 - kHashBits);
}

std::size_t slot(std::uint32_t word) {
  return hash(word) >> (kHashBits - kSlotBits);
}

// Returns 1 or 0.
unsigned may_hold(const std::uint64_t* table, std::uint32_t word) {
  const std::uint32_t at = hash(word);
  return static_cast<unsigned>(table[at / kBitsAWord] >> (at % kBitsAWord)) & 1U;
}

}  // namespace

void LiteralFinder::choose_grams() {
  std::size_t shortest = literals_.front().size();
  for (const std::string& literal : literals_) shortest = std::min(shortest, literal.size());
  const std::size_t gram = std::min(shortest, kWordBytes);
  stride_ = std::min(shortest - gram + 1, kMaxStride);
  mask_ = mask_of<std::uint32_t>(gram);
  table_.assign((std::size_t{1} << kHashBits) / kBitsAWord, 0);
  for (std::size_t literal = 0; literal < literals_.size(); ++literal) add_grams(literal);
  std::sort(grams_.begin(), grams_.end(),
            [](const Gram& left, const Gram& right) { return hash(left.word) < hash(right.word); });
  slots_.assign((std::size_t{1} << kSlotBits) + 1, 0);
  for (const Gram& each : grams_) ++slots_[slot(each.word) + 1];
  for (std::size_t at = 1; at < slots_.size(); ++at) slots_[at] += slots_[at - 1];
}

// Chooses the window with the rarest bytes.
void LiteralFinder::add_grams(std::size_t literal) {
  const std::string_view text = literals_[literal];
  const auto gram = static_cast<std::size_t>(std::popcount(mask_)) / 8;
  const std::size_t window = gram + stride_ - 1;
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t begin = 0; begin + window <= text.size(); ++begin) {
    std::size_t rare = 0;
    for (const char byte : text.substr(begin, window)) rare += rarity(byte);
    if (rare <= most) continue;
    most = rare;
    best = begin;
  }
  for (std::size_t offset = best; offset < best + stride_; ++offset) add_gram(literal, offset);
}

void LiteralFinder::add_gram(std::size_t literal, std::size_t offset) {
  const std::string_view text = literals_[literal];
  const std::size_t bytes = std::min(text.size(), kLongerBytes);
  const std::size_t longer_offset = std::min(offset, text.size() - bytes);
  Gram gram;
  gram.word = folded_end<std::uint32_t>(text.substr(offset, kWordBytes)) & mask_;
  gram.literal = static_cast<std::uint32_t>(literal);
  gram.offset = static_cast<std::uint32_t>(offset);
  gram.longer_offset = static_cast<std::uint32_t>(longer_offset);
  gram.longer_mask = mask_of<std::uint64_t>(bytes);
  gram.longer = folded_end<std::uint64_t>(text.substr(longer_offset, bytes)) & gram.longer_mask;
  grams_.push_back(gram);
  const std::uint32_t at = hash(gram.word);
  table_[at / kBitsAWord] |= std::uint64_t{1} << (at % kBitsAWord);
}

void LiteralFinder::check_grams(std::string_view text, std::size_t at, std::uint32_t word,
                                std::vector<LiteralHit>* hits) const {
  const std::size_t end = slots_[slot(word) + 1];
  for (std::size_t index = slots_[slot(word)]; index < end; ++index) {
    const Gram& gram = grams_[index];
    if (gram.word != word || at < gram.offset) continue;
    const std::size_t begin = at - gram.offset;
    const std::size_t longer = begin + gram.longer_offset;
    if (longer + kLongerBytes <= text.size() &&
        (folded<std::uint64_t>(text.data() + longer) & gram.longer_mask) != gram.longer) {
      continue;
    }
    if (folded_at(text, begin, literals_[gram.literal])) hits->push_back({at, gram.literal});
  }
}

void LiteralFinder::find_grams(std::string_view text, std::vector<LiteralHit>* hits) const {
  constexpr unsigned kLooks = 8;
  // Copies, so that the compiler knows that they never change.
  const std::size_t stride = stride_;
  const std::size_t step = stride * kLooks;
  const std::uint64_t* const table = table_.data();
  const auto word_at = [bytes = text.data(), mask = mask_](std::size_t at) {
    return folded<std::uint32_t>(bytes + at) & mask;
  };
  std::size_t at = 0;
  for (; at + step + kWordBytes <= text.size(); at += step) {
    unsigned found = 0;
    for (unsigned look = 0; look < kLooks; ++look) {
      found |= may_hold(table, word_at(at + look * stride)) << look;
    }
    for (; found != 0; found &= found - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(found)) * stride;
      check_grams(text, place, word_at(place), hits);
    }
  }
  for (; at < text.size(); at += stride) {
    const auto word = folded_end<std::uint32_t>(text.substr(at, kWordBytes)) & mask_;
    if (may_hold(table, word) != 0) check_grams(text, at, word, hits);
  }
}

}  // namespace gibbous
