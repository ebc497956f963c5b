// HttpStatusParser: reads the status code from the beginning of an HTTP/1.x response, however it is
// cut into reads. Skips interim answers (1xx). The bytes are untrusted. Pure, any thread.
//
// One GET and one status line: libcurl would double the start-up time and the memory, and
// http-parser accepts status lines that are none (several spaces, HTTP/2.0, the status 0 or 20).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous {

inline constexpr std::size_t kMaxHttpHeadBytes = std::size_t{8} << 10;

class HttpStatusParser {
 public:
  enum class State {
    kMore,    // feed it more
    kStatus,  // status() has the answer's status
    kWrong,   // this is not HTTP/1.x, or its head is longer than kMaxHttpHeadBytes
  };
  // Must not be called again after any result other than kMore.
  State feed(std::string_view bytes);
  int status() const { return status_; }

 private:
  State take_line();

  std::string line_;       // the current line, without its end
  std::size_t total_ = 0;  // bytes so far
  int status_ = 0;
  bool in_interim_ = false;  // in the headers of a 1xx answer
};

}  // namespace gibbous
