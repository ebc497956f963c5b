// One HTTP request from bytes: what is read, and what is refused because it could be read in two
// ways.
#include "bindings/mcp/http/request_parser.h"

#include <string>

#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

constexpr std::size_t kMaxFields = 5;

std::string head_of(const std::string& fields, const std::string& line = "POST /mcp HTTP/1.1") {
  return line + "\r\nHost: localhost\r\n" + fields + "\r\n";
}

HttpStatus status_for(const std::string& head) {
  RequestParser parser;
  return parser.read_head(head, kMaxFields);
}

TEST_CASE("a request with a length is read whatever the pieces are") {
  for (std::size_t piece = 1; piece <= 6; ++piece) {
    RequestParser parser;
    REQUIRE(parser.read_head(head_of("Content-Length: 5\r\nX-Some:  a b \r\n"), kMaxFields) == kOk);
    CHECK(parser.head().method == "POST");
    CHECK(parser.head().target == "/mcp");
    CHECK(parser.head().keep_alive);
    CHECK(*parser.head().field("x-some") == "a b");
    CHECK(parser.declared_bytes() == 5);
    const std::string rest = "helloPOST /next";
    std::size_t at = 0;
    while (parser.state() == RequestParser::State::kBody) {
      at += parser.read_body(std::string_view(rest).substr(at, piece));
    }
    CHECK(parser.state() == RequestParser::State::kDone);
    CHECK(parser.body() == "hello");
    CHECK(rest.substr(at) == "POST /next");
  }
}

TEST_CASE("a chunked request is read whatever the pieces are") {
  const std::string body = "3\r\nhel\r\n2;note=x\r\nlo\r\n0\r\nTrailer: x\r\n\r\nGET";
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    RequestParser parser;
    REQUIRE(parser.read_head(head_of("Transfer-Encoding: Chunked\r\n"), kMaxFields) == kOk);
    std::size_t at = 0;
    while (parser.state() == RequestParser::State::kBody) {
      at += parser.read_body(std::string_view(body).substr(at, piece));
    }
    CHECK(parser.state() == RequestParser::State::kDone);
    CHECK(parser.body() == "hello");
    CHECK(body.substr(at) == "GET");
  }
}

TEST_CASE("a request without a body is done with its head, and the parser is used again") {
  RequestParser parser;
  for (int round = 0; round < 2; ++round) {
    REQUIRE(parser.read_head(head_of("Connection: close\r\n", "GET /mcp HTTP/1.1"), kMaxFields) ==
            kOk);
    CHECK(parser.state() == RequestParser::State::kDone);
    CHECK_FALSE(parser.head().keep_alive);
    parser.reset();
  }
  // There is nothing to change to.
  REQUIRE(parser.read_head(head_of("Upgrade: h2c\r\nConnection: Upgrade\r\n"), kMaxFields) == kOk);
  CHECK(parser.state() == RequestParser::State::kDone);
}

TEST_CASE("heads that can be read in two ways are refused") {
  for (const char* fields : {
           "Content-Length: 5\r\nContent-Length: 5\r\n",
           "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
           "Content-Length: +5\r\n",
           "Content-Length: 5, 5\r\n",
           "Content-Length: \r\n",
           "Content-Length: 99999999999999999999999\r\n",
           "X: a\nContent-Length: 5\r\n",
           "X: a\rContent-Length: 5\r\n",
           "X: a\r\n folded\r\n",
           "Bad name: x\r\n",
           "Content-Length : 5\r\n",
           ": x\r\n",
           "no colon\r\n",
           "Host: other\r\n",
       }) {
    INFO(fields);
    CHECK(status_for(head_of(fields)) == kBadRequest);
  }
  CHECK(status_for(head_of(std::string("X: a\0b\r\n", 8))) == kBadRequest);
  CHECK(status_for("POST /mcp HTTP/1.1\r\n\r\n") == kBadRequest);
  CHECK(status_for(head_of("", "POST /mcp")) == kBadRequest);
  CHECK(status_for(head_of("", "BREW /mcp HTTP/1.1")) == kBadRequest);
  CHECK(status_for(head_of("", "POST  /mcp HTTP/1.1")) == kBadRequest);
  CHECK(status_for(head_of("", "POST /mcp HTTP/1.0")) == kVersionNotSupported);
  CHECK(status_for(head_of("Transfer-Encoding: gzip, chunked\r\n")) == kNotImplemented);
  CHECK(status_for(head_of("Transfer-Encoding: xchunked\r\n")) == kNotImplemented);
}

TEST_CASE("the number of fields is limited") {
  std::string fields;
  for (std::size_t each = 1; each < kMaxFields; ++each) fields += "X: y\r\n";
  CHECK(status_for(head_of(fields)) == kOk);
  CHECK(status_for(head_of(fields + "X: y\r\n")) == kHeadTooLarge);
}

TEST_CASE("a body that is not what its head says fails") {
  RequestParser parser;
  REQUIRE(parser.read_head(head_of("Transfer-Encoding: chunked\r\n"), kMaxFields) == kOk);
  parser.read_body("zz\r\n");
  CHECK(parser.state() == RequestParser::State::kFailed);
}

}  // namespace
}  // namespace gibbous::mcp::http
