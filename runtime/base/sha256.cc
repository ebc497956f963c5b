// FIPS 180-4. The constants are the fractional parts of the roots of the first primes, as the
// standard lists them.
#include "runtime/base/sha256.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace gibbous {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void add_block(std::array<std::uint32_t, 8>& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = static_cast<std::uint32_t>(block[i * 4]) << 24U |
               static_cast<std::uint32_t>(block[i * 4 + 1]) << 16U |
               static_cast<std::uint32_t>(block[i * 4 + 2]) << 8U |
               static_cast<std::uint32_t>(block[i * 4 + 3]);
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    const std::uint32_t a = words[i - 15];
    const std::uint32_t b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + kRound[i] + words[i];
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

#if defined(__x86_64__)

bool has_sha_instructions() {
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  constexpr unsigned int kSha = 1U << 29;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0 &&
         __builtin_cpu_supports("sse4.1") != 0;
}

// The same with the instructions that processors have for it, four rounds at a time.
__attribute__((target("sha,sse4.1"))) void add_block_fast(std::array<std::uint32_t, 8>& state,
                                                          const unsigned char* block) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i low = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);       // c d a b
  const __m128i high = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);  // e f g h
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
  const __m128i abef_before = abef;
  const __m128i cdgh_before = cdgh;
  __m128i message[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const auto* from = reinterpret_cast<const __m128i*>(block + 16 * i);
    message[i] = _mm_shuffle_epi8(_mm_loadu_si128(from), swap);
  }
  for (std::size_t group = 0; group < 16; ++group) {
    __m128i& now = message[group % 4];
    if (group >= 4) {
      const __m128i before = message[(group + 3) % 4];
      const __m128i shifted = _mm_alignr_epi8(before, message[(group + 2) % 4], 4);
      now = _mm_sha256msg1_epu32(now, message[(group + 1) % 4]);
      now = _mm_sha256msg2_epu32(_mm_add_epi32(now, shifted), before);
    }
    const auto* constants = reinterpret_cast<const __m128i*>(kRound.data() + 4 * group);
    const __m128i sum = _mm_add_epi32(now, _mm_loadu_si128(constants));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

using AddBlock = void (*)(std::array<std::uint32_t, 8>&, const unsigned char*);

AddBlock fastest() {
#if defined(__x86_64__)
  if (has_sha_instructions()) return add_block_fast;
#endif
  return add_block;
}

// The hash of `first`, which is one block or nothing, and `bytes`.
std::string hex_of(std::string_view first, std::string_view bytes, AddBlock add) {
  std::array<std::uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  if (!first.empty()) add(state, reinterpret_cast<const unsigned char*>(first.data()));
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / kBlockBytes * kBlockBytes;
  for (std::size_t at = 0; at < whole; at += kBlockBytes) add(state, data + at);

  // The remaining bytes, a single 1 bit, zeros, and the length in bits.
  std::array<unsigned char, 2 * kBlockBytes> end{};
  const std::size_t rest = bytes.size() - whole;
  for (std::size_t i = 0; i < rest; ++i) end[i] = data[whole + i];
  end[rest] = 0x80;
  const std::size_t size = rest + 1 + kLengthBytes <= kBlockBytes ? kBlockBytes : 2 * kBlockBytes;
  const std::uint64_t bits = static_cast<std::uint64_t>(first.size() + bytes.size()) * 8;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    end[size - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  }
  for (std::size_t at = 0; at < size; at += kBlockBytes) add(state, end.data() + at);

  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state) {
    for (unsigned shift = 32; shift > 0; shift -= 4) text += kHex[(word >> (shift - 4)) & 0xFU];
  }
  return text;
}

AddBlock best() {
  static const AddBlock add = fastest();
  return add;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  return hex_of({}, bytes, best());
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  constexpr char kInner = 0x36;
  constexpr char kOuter = 0x5C;
  const auto padded = [&](char pad) {
    std::string block(kBlockBytes, pad);
    for (std::size_t i = 0; i < std::min(key.size(), kBlockBytes); ++i) {
      block[i] = static_cast<char>(block[i] ^ key[i]);
    }
    return block;
  };
  const auto value_of = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  const std::string inner = hex_of(padded(kInner), bytes, best());
  std::string raw;
  for (std::size_t i = 0; i + 1 < inner.size(); i += 2) {
    raw += static_cast<char>(value_of(inner[i]) * 16 + value_of(inner[i + 1]));
  }
  return hex_of(padded(kOuter), raw, best());
}

}  // namespace gibbous
