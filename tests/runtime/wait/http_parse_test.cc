// URLs and status lines, which come from models and unknown servers.
#include <random>
#include <string>
#include <vector>

#include "runtime/wait/http_status_parser.h"
#include "runtime/wait/http_url.h"
#include "tests/support/catch.h"
#include "tests/support/http_status_oracle.h"

using gibbous::HttpStatusParser;
using gibbous::HttpUrl;

namespace {

using State = HttpStatusParser::State;

// Feeds the text whole and byte by byte; the results must be the same. 0: more is needed; -1:
// wrong.
int status_of(const std::string& text) {
  const auto outcome = [](State state, const HttpStatusParser& parser) {
    if (state == State::kStatus) return parser.status();
    return state == State::kMore ? 0 : -1;
  };
  HttpStatusParser whole;
  const int at_once = outcome(whole.feed(text), whole);
  HttpStatusParser pieces;
  State state = State::kMore;
  for (std::size_t i = 0; i < text.size() && state == State::kMore; ++i) {
    state = pieces.feed(text.substr(i, 1));
  }
  CHECK(outcome(state, pieces) == at_once);
  return at_once;
}

std::string url_error(const std::string& url) {
  const auto parsed = HttpUrl::parse(url);
  INFO(url);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.status().code() == "invalid_arguments");
  return parsed.status().message();
}

}  // namespace

TEST_CASE("a status line has the same code however it is cut") {
  CHECK(status_of("HTTP/1.1 200 OK\r\n") == 200);
  CHECK(status_of("HTTP/1.0 503 Service Unavailable\r\nX: y\r\n") == 503);
  CHECK(status_of("HTTP/1.1 204\r\n") == 204);
  CHECK(status_of("HTTP/1.1 404 \n") == 404);
  CHECK(status_of("HTTP/1.1 20") == 0);
  CHECK(status_of("HTTP/1.1 200 OK") == 0);
}

TEST_CASE("interim responses are skipped") {
  CHECK(status_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n") == 200);
  CHECK(status_of("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 500 No\r\n") == 500);
  CHECK(status_of("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n") == 0);
}

TEST_CASE("an answer that is not HTTP is an error") {
  for (const std::string text :
       {"\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/2 200\r\n", "HTTP/1.1 2000\r\n", "HTTP/1.1 20 OK\r\n",
        "HTTP/1.1 -20 OK\r\n", "HTTP/1.1  200 OK\r\n", "http/1.1 200 OK\r\n",
        "HTTP/1.1 000 X\r\n"}) {
    CAPTURE(text);
    CHECK(status_of(text) == -1);
  }
  CHECK(status_of(std::string(gibbous::kMaxHttpHeadBytes + 1, 'x')) == -1);
  CHECK(status_of(std::string(gibbous::kMaxHttpHeadBytes, 'x')) == 0);
}

TEST_CASE("random responses are parsed as a regular expression parses them, however they are cut") {
  static const std::vector<std::string> kParts = {"HTTP/1.1 ",
                                                  "HTTP/1.0",
                                                  " ",
                                                  "200",
                                                  "503",
                                                  "100",
                                                  "103",
                                                  "99",
                                                  "OK",
                                                  "\r\n",
                                                  "\n",
                                                  "\r\n\r\n",
                                                  "\r",
                                                  "A: b\r\n",
                                                  "x",
                                                  std::string("\0", 1),
                                                  "\xff",
                                                  "HTTP/1.1 100 Continue\r\n\r\n",
                                                  "HTTP/1.1 200 OK\r\n"};
  std::mt19937 random(11);
  const auto below = [&random](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    std::string text;
    std::string cuts;
    for (std::size_t parts = below(12); parts > 0; --parts) text += kParts[below(kParts.size())];
    for (std::size_t count = 1 + below(4); count > 0; --count) {
      cuts += static_cast<char>(below(20));
    }
    CAPTURE(round, text);
    REQUIRE(gibbous::testing::status_difference(text, cuts) == "");
  }
}

TEST_CASE("an http URL has a host, a port and a target") {
  const auto plain = HttpUrl::parse("http://localhost:3000/health?x=1#top");
  REQUIRE(plain);
  CHECK(plain->host == "localhost");
  CHECK(plain->port == 3000);
  CHECK(plain->target == "/health?x=1");
  CHECK(plain->request().substr(0, 53) ==
        "GET /health?x=1 HTTP/1.1\r\nHost: localhost:3000\r\nUser-");

  const auto v6 = HttpUrl::parse("HTTP://[::1]:8080");
  REQUIRE(v6);
  CHECK(v6->host == "::1");
  CHECK(v6->port == 8080);
  CHECK(v6->target == "/");
  CHECK(v6->request().find("Host: [::1]:8080\r\n") != std::string::npos);

  const auto bare = HttpUrl::parse("http://example.test?q");
  REQUIRE(bare);
  CHECK(bare->port == 80);
  CHECK(bare->target == "/?q");
  CHECK(bare->request().find("Host: example.test\r\n") != std::string::npos);
}

TEST_CASE("an https URL has a port of its own") {
  const auto secure = HttpUrl::parse("HTTPS://localhost/health");
  REQUIRE(secure);
  CHECK(secure->secure);
  CHECK(secure->port == 443);
  CHECK(secure->text() == "https://localhost/health");
  const auto other = HttpUrl::parse("https://localhost:8443");
  REQUIRE(other);
  CHECK(other->port == 8443);
  CHECK(other->text() == "https://localhost:8443/");
}

TEST_CASE("an invalid URL is refused with the reason") {
  CHECK(url_error("ftp://localhost/").find("expected http://") != std::string::npos);
  CHECK(url_error("localhost:3000").find("expected http://") != std::string::npos);
  CHECK(url_error("").find("expected http://") != std::string::npos);
  CHECK(url_error("http://").find("host is missing") != std::string::npos);
  CHECK(url_error("http://:80/").find("host is missing") != std::string::npos);
  CHECK(url_error("http://a:0/").find("port") != std::string::npos);
  CHECK(url_error("http://a:65536/").find("port") != std::string::npos);
  CHECK(url_error("http://a:99999999999/").find("port") != std::string::npos);
  CHECK(url_error("http://[::1/").find("not closed") != std::string::npos);
  CHECK(url_error("http://[::1]x/").find("port") != std::string::npos);
  CHECK(url_error("http://user@host/").find("user name") != std::string::npos);
  CHECK(url_error("http://a/\r\nX: y").find("control character") != std::string::npos);
  CHECK(url_error("http://a/ b").find("space") != std::string::npos);
  CHECK(url_error("http://a/" + std::string(gibbous::kMaxUrlBytes, 'x')).find("longer") !=
        std::string::npos);
}
