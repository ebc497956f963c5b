// libFuzzer's entry for the bytes of an HTTP client. Built with -DGIBBOUS_FUZZ=ON and clang.
#include "tests/fuzz/mcp_http_fuzz.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gibbous::mcp::http::feed_http_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
