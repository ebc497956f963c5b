// libFuzzer's entry for the MCP server's input. Built with -DGIBBOUS_FUZZ=ON and clang.
#include "tests/fuzz/mcp_fuzz.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gibbous::mcp::feed_bytes_from_a_client({reinterpret_cast<const char*>(data), size});
  return 0;
}
