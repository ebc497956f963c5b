// libFuzzer entry for what a probe reads of an HTTP answer, and for the URL that it is given: the
// input is how the answer is cut into reads, a zero byte, and the text. Built with clang and
// GIBBOUS_FUZZ; http_parse_test.cc runs the same comparison over random input with every build.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/wait/http_url.h"
#include "tests/support/http_status_oracle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = input.find('\0');
  const std::string_view cuts = input.substr(0, zero == std::string_view::npos ? 0 : zero);
  const std::string_view text = input.substr(zero == std::string_view::npos ? 0 : zero + 1);
  const std::string difference = gibbous::testing::status_difference(text, cuts);
  if (!difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    std::abort();
  }
  if (const auto url = gibbous::HttpUrl::parse("http://" + std::string(text))) {
    // Five lines and an empty one: nothing in a URL adds another.
    constexpr int kRequestLines = 6;
    int lines = 0;
    for (const char c : url->request()) lines += c == '\n' ? 1 : 0;
    if (lines != kRequestLines) std::abort();
  }
  return 0;
}
