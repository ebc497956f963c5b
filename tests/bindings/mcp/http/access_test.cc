// Access to the server over HTTP: names, web pages, tokens and their files, addresses.
#include "bindings/mcp/http/access.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "bindings/mcp/http/tcp_address.h"
#include "bindings/mcp/http/token.h"
#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

RequestHead head_with(std::vector<std::pair<std::string, std::string>> fields) {
  RequestHead head;
  head.fields = std::move(fields);
  return head;
}

TEST_CASE("the server goes by the names of the loopback, whatever the port") {
  for (const char* host :
       {"localhost", "LocalHost:1", "127.0.0.1:8000", "127.9.9.9", "[::1]:8000", "[::1]"}) {
    INFO(host);
    CHECK(judge(head_with({{"host", host}}), {}) == Access::kGranted);
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "",
                           "10.0.0.1", "localhost:x", "[::1", "[::1]x", "127.", "user@localhost"}) {
    INFO(host);
    CHECK(judge(head_with({{"host", host}}), {}) == Access::kForeignHost);
  }
  CHECK(judge(head_with({}), {}) == Access::kForeignHost);
}

TEST_CASE("other names must be listed, and addresses are for servers beyond the loopback") {
  AccessRules rules;
  rules.hosts = {"tools.example"};
  CHECK(judge(head_with({{"host", "Tools.example:443"}}), rules) == Access::kGranted);
  CHECK(judge(head_with({{"host", "10.0.0.1"}}), rules) == Access::kForeignHost);
  rules.any_address = true;
  CHECK(judge(head_with({{"host", "10.0.0.1:80"}}), rules) == Access::kGranted);
  CHECK(judge(head_with({{"host", "[fd00::1]:80"}}), rules) == Access::kGranted);
  CHECK(judge(head_with({{"host", "evil.example"}}), rules) == Access::kForeignHost);
}

TEST_CASE("pages of other places are refused") {
  AccessRules rules;
  rules.hosts = {"tools.example"};
  const auto from = [&](const std::string& origin) {
    return judge(head_with({{"host", "localhost"}, {"origin", origin}}), rules);
  };
  for (const char* origin :
       {"http://localhost:3000", "https://127.0.0.1", "http://[::1]:5", "https://tools.example"}) {
    CHECK(from(origin) == Access::kGranted);
  }
  for (const char* origin : {"http://evil.example", "null", "", "http://localhost.evil.example",
                             "file://localhost", "localhost", "http://10.0.0.1", "http://"}) {
    INFO(origin);
    CHECK(from(origin) == Access::kForeignOrigin);
  }
  CHECK(judge(head_with({{"host", "localhost"},
                         {"origin", "http://localhost"},
                         {"origin", "http://localhost"}}),
              rules) == Access::kForeignOrigin);
}

TEST_CASE("a token must be there as it is") {
  AccessRules rules;
  rules.token = "secret-secret-secret";
  const auto with = [&](const std::string& text) {
    return judge(head_with({{"host", "localhost"}, {"authorization", text}}), rules);
  };
  CHECK(with("Bearer secret-secret-secret") == Access::kGranted);
  CHECK(with("bearer  secret-secret-secret") == Access::kGranted);
  for (const char* text : {"", "Bearer", "Bearer ", "secret-secret-secret", "Basic secret",
                           "Bearer secret-secret-secre", "Bearer secret-secret-secrett",
                           "Bearer Secret-secret-secret"}) {
    INFO(text);
    CHECK(with(text) == Access::kUnauthorized);
  }
  CHECK(judge(head_with({{"host", "localhost"}}), rules) == Access::kUnauthorized);
}

TEST_CASE("texts are compared whole") {
  CHECK(equal_in_constant_time("abc", "abc"));
  CHECK(equal_in_constant_time("", ""));
  CHECK_FALSE(equal_in_constant_time("abc", "abd"));
  CHECK_FALSE(equal_in_constant_time("abcabc", "abc"));
  CHECK_FALSE(equal_in_constant_time("", "abc"));
  CHECK_FALSE(equal_in_constant_time("abc", ""));
}

TEST_CASE("a made token is long and never the same") {
  const Result<std::string> one = make_token();
  const Result<std::string> other = make_token();
  REQUIRE(one);
  REQUIRE(other);
  CHECK(one->size() == 64);
  CHECK(*one != *other);
}

TEST_CASE("a token is read from a file that only its owner can read") {
  std::string directory = "/tmp/gibbous-token-XXXXXX";
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  const std::string path = directory + "/token";
  const auto write = [&](const std::string& text, mode_t mode) {
    std::ofstream(path, std::ios::trunc) << text;
    REQUIRE(::chmod(path.c_str(), mode) == 0);
  };
  CHECK(read_token_file(path, "--token-file").status().message().find("No such file") !=
        std::string::npos);
  write("0123456789abcdef\nmore\n", 0600);
  CHECK(*read_token_file(path, "--token-file") == "0123456789abcdef");
  write("0123456789abcdef", 0644);
  CHECK(read_token_file(path, "--token-file").status().message().find("chmod 600") !=
        std::string::npos);
  write("short\n", 0600);
  CHECK_FALSE(read_token_file(path, "--token-file"));
  write("0123456789 abcdef\n", 0600);
  CHECK_FALSE(read_token_file(path, "--token-file"));
  write(std::string(600, 'x'), 0600);
  CHECK_FALSE(read_token_file(path, "--token-file"));
  CHECK(read_token_file(directory, "--token-file").status().message().find("regular file") !=
        std::string::npos);
  ::unlink(path.c_str());
  ::rmdir(directory.c_str());
}

TEST_CASE("addresses are numeric, and know whether they leave the machine") {
  CHECK(TcpAddress::parse("127.0.0.1:0")->is_loopback());
  CHECK(TcpAddress::parse("[::1]:80")->is_loopback());
  CHECK_FALSE(TcpAddress::parse("0.0.0.0:80")->is_loopback());
  CHECK_FALSE(TcpAddress::parse("[::]:80")->is_loopback());
  for (const char* text : {"localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", ":80", "",
                           "::1:80", "127.0.0.1:80x", "[::1:80"}) {
    INFO(text);
    CHECK_FALSE(TcpAddress::parse(text));
  }
  const Result<UniqueFd> socket = TcpAddress::parse("127.0.0.1:0")->listen();
  REQUIRE(socket);
  const std::string bound = TcpAddress::of(*socket);
  CHECK(bound.compare(0, 10, "127.0.0.1:") == 0);
  const Result<UniqueFd> again = TcpAddress::parse(bound)->listen();
  REQUIRE_FALSE(again);
  CHECK(again.status().code() == "listen_failed");
  CHECK(again.status().message().find(bound) != std::string::npos);
}

}  // namespace
}  // namespace gibbous::mcp::http
