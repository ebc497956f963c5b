// The bearer token of the HTTP transport: made at random, or read from a file that only its owner
// can read. Any thread.
#pragma once

#include <string>

#include "gibbous/status.h"

namespace gibbous::mcp::http {

// 256 random bits, as 64 hexadecimal digits. Fails when the kernel gives none.
Result<std::string> make_token();

// The first line of the file. It must be a regular file of this user that no other may read or
// write, and the line 16 to 512 visible ASCII characters. Fails with invalid_arguments and `field`,
// which named the file.
Result<std::string> read_token_file(const std::string& path, const std::string& field);

}  // namespace gibbous::mcp::http
