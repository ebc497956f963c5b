// The way for many literals. Of every literal a window is chosen, and all words ("grams") of it are
// put into a table: a window has as many words as there are bytes between two looks, so that
// wherever the literal lies, one look falls onto one of them.
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
constexpr std::uint32_t kFoldWord = kFoldBit * 0x01010101U;
constexpr std::size_t kBitsAWord = 64;

std::uint32_t folded_word(const char* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word | kFoldWord;
}

// The same where less than a word is left; zeros follow.
std::uint32_t folded_end(std::string_view bytes) {
  std::array<char, kWordBytes> padded{};
  std::copy(bytes.begin(), bytes.end(), padded.begin());
  return folded_word(padded.data());
}

std::uint32_t hash(std::uint32_t word) {
  constexpr std::uint32_t kGoldenRatio = 0x9E3779B1U;
  return (word * kGoldenRatio) >> (32 - kHashBits);
}

}  // namespace

void LiteralFinder::choose_grams() {
  std::size_t shortest = literals_.front().size();
  for (const std::string& literal : literals_) shortest = std::min(shortest, literal.size());
  const std::size_t gram = std::min(shortest, kWordBytes);
  stride_ = std::min(shortest - gram + 1, kMaxStride);
  const char ones[kWordBytes] = {'\xFF', '\xFF', '\xFF', '\xFF'};
  std::memcpy(&mask_, ones, gram);
  table_.assign((std::size_t{1} << kHashBits) / kBitsAWord, 0);
  for (std::size_t literal = 0; literal < literals_.size(); ++literal) add_grams(literal);
  std::sort(grams_.begin(), grams_.end(),
            [](const Gram& left, const Gram& right) { return left.word < right.word; });
}

// The window is the one of the rarest bytes.
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
  for (std::size_t offset = best; offset < best + stride_; ++offset) {
    const std::uint32_t word = folded_end(text.substr(offset, gram)) & mask_;
    grams_.push_back(
        {word, static_cast<std::uint32_t>(literal), static_cast<std::uint32_t>(offset)});
    table_[hash(word) / kBitsAWord] |= std::uint64_t{1} << (hash(word) % kBitsAWord);
  }
}

bool LiteralFinder::may_hold(std::uint32_t word) const {
  const std::uint32_t at = hash(word);
  return ((table_[at / kBitsAWord] >> (at % kBitsAWord)) & 1U) != 0;
}

void LiteralFinder::check_grams(std::string_view text, std::size_t at, std::uint32_t word,
                                std::vector<LiteralHit>* hits) const {
  auto gram =
      std::lower_bound(grams_.begin(), grams_.end(), word,
                       [](const Gram& each, std::uint32_t wanted) { return each.word < wanted; });
  for (; gram != grams_.end() && gram->word == word; ++gram) {
    if (at >= gram->offset && folded_at(text, at - gram->offset, literals_[gram->literal])) {
      hits->push_back({at, gram->literal});
    }
  }
}

void LiteralFinder::find_grams(std::string_view text, std::vector<LiteralHit>* hits) const {
  constexpr std::size_t kLooks = 8;
  const std::size_t step = stride_ * kLooks;
  std::size_t at = 0;
  for (; at + step + kWordBytes <= text.size(); at += step) {
    const char* bytes = text.data() + at;
    bool any = false;
    for (std::size_t look = 0; look < kLooks; ++look) {
      any |= may_hold(folded_word(bytes + look * stride_) & mask_);
    }
    if (!any) continue;
    for (std::size_t look = 0; look < kLooks; ++look) {
      const std::uint32_t word = folded_word(bytes + look * stride_) & mask_;
      if (may_hold(word)) check_grams(text, at + look * stride_, word, hits);
    }
  }
  for (; at < text.size(); at += stride_) {
    const std::uint32_t word = folded_end(text.substr(at, kWordBytes)) & mask_;
    if (may_hold(word)) check_grams(text, at, word, hits);
  }
}

}  // namespace gibbous
