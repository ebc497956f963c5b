#include "runtime/base/sha256.h"

#include <mbedtls/md.h>

#include <array>

namespace gibbous {
namespace {

constexpr std::size_t kDigestBytes = 32;
using Digest = std::array<unsigned char, kDigestBytes>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

const mbedtls_md_info_t* sha256() {
  return mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
}

std::string hex_of(const Digest& digest) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kHex[byte >> 4U];
    text += kHex[byte & 0xFU];
  }
  return text;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Digest digest{};
  mbedtls_md(sha256(), bytes_of(bytes), bytes.size(), digest.data());
  return hex_of(digest);
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  Digest digest{};
  mbedtls_md_hmac(sha256(), bytes_of(key), key.size(), bytes_of(bytes), bytes.size(),
                  digest.data());
  return hex_of(digest);
}

}  // namespace gibbous
