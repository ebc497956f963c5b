// RequestParser: one HTTP/1.1 request, in two steps: its head, which must be there in full and
// within the caller's limit, then the bytes of its body as they come. The only file that knows the
// parser library (http-parser). Strict: what two programs could read in two ways is refused. Used
// by Connection. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/mcp/http/http_status.h"

namespace gibbous::mcp::http {

struct RequestHead {
  std::string method;
  std::string target;
  bool keep_alive = false;
  // Names in small letters, in the order in which they came.
  std::vector<std::pair<std::string, std::string>> fields;

  // Returns null when there is none, or more than one.
  const std::string* field(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

class RequestParser {
 public:
  enum class State { kHead, kBody, kDone, kFailed };

  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Takes a whole head, the empty line at its end included. Returns kOk, or the status of the
  // refusal; kFailed then.
  HttpStatus read_head(std::string_view head, std::size_t max_fields);
  // Takes bytes of the body and returns how many belonged to it; kDone or kFailed after the last.
  std::size_t read_body(std::string_view bytes);

  State state() const { return state_; }
  RequestHead& head() { return head_; }
  std::string& body() { return body_; }
  // What Content-Length says; 0 when there is none.
  std::size_t declared_bytes() const { return declared_; }
  // Forgets the request. The next one may begin.
  void reset();

 private:
  struct Callbacks;
  struct Library;  // the state of the library
  bool take_fields(std::string_view head, std::size_t max_fields);
  HttpStatus objection();

  std::unique_ptr<Library> library_;  // while a request is read
  State state_ = State::kHead;
  RequestHead head_;
  std::string body_;
  std::size_t declared_ = 0;
};

}  // namespace gibbous::mcp::http
