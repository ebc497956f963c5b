// What the server holds against clients that send too much, too slowly or to the wrong place, and
// against those that do not read.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/bindings/mcp/http/http_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::mcp::http {
namespace {

using std::chrono::seconds;
using Strings = std::map<std::string, std::string>;

const std::string kList = HttpClient::modern(Fixture::modern(1, "tools/list"));

TEST_CASE("a request without the token, or by a foreign name, is refused before its body is read") {
  HttpFixture served;
  const auto status = [&](const Strings& fields) {
    HttpClient client(served);
    Strings all = fields;
    all["Content-Length"] = "1000";
    const Heard heard = client.ask(HttpClient::post("", all));
    client.until_closed();
    if (heard.status == 401)
      CHECK(heard.fields.at("www-authenticate") == "Bearer realm=\"gibbous\"");
    CHECK(heard.json()["error"]["code"] == kInvalidRequest);
    return heard.status;
  };
  CHECK(status({{"Authorization", ""}}) == 401);
  CHECK(status({{"Authorization", "Bearer wrong"}}) == 401);
  CHECK(status({{"Host", "evil.example"}}) == 403);
  CHECK(status({{"Origin", "http://evil.example"}}) == 403);
  CHECK(status({{"Content-Type", "text/plain"}}) == 415);
}

TEST_CASE("only POST to the path of the server is served") {
  HttpFixture served;
  for (const char* method : {"GET", "DELETE", "PUT", "OPTIONS"}) {
    HttpClient client(served);
    const Heard heard = client.ask(HttpClient::request(
        method, {{"Host", "localhost"}, {"Authorization", std::string("Bearer ") + kToken}}));
    CHECK(heard.status == 405);
    CHECK(heard.fields.at("allow").find("POST") != std::string::npos);
  }
  HttpClient client(served);
  std::string elsewhere = kList;
  elsewhere.replace(elsewhere.find("/mcp"), 4, "/");
  CHECK(client.ask(elsewhere).status == 404);
}

TEST_CASE("heads and bodies have a limit") {
  Limits limits;
  limits.body_bytes = 1000;
  limits.chunking_bytes = 100;
  HttpFixture served(limits);
  {
    HttpClient client(served);
    CHECK(client.ask(HttpClient::post("", {{"X", std::string(limits.head_bytes, 'x')}})).status ==
          431);
    client.until_closed();
  }
  {
    HttpClient client(served);
    client.write("GET /" + std::string(limits.head_bytes, 'x'));
    CHECK(client.hear().status == 431);
  }
  {
    HttpClient client(served);
    CHECK(client.ask(HttpClient::post("", {{"Content-Length", "1001"}})).status == 413);
  }
  const Strings chunked = {{"Content-Length", ""}, {"Transfer-Encoding", "chunked"}};
  {
    HttpClient client(served);
    client.write(HttpClient::post("", chunked) + "3e9\r\n" + std::string(1001, ' '));
    CHECK(client.hear().status == 413);
  }
  {
    // Small chunks with long notes.
    HttpClient client(served);
    client.write(HttpClient::post("", chunked));
    for (int chunk = 0; chunk < 20; ++chunk) {
      client.write("1;" + std::string(100, 'n') + "\r\n \r\n");
    }
    CHECK(client.hear().status == 413);
  }
  HttpClient client(served);
  CHECK(client.ask(kList).status == 200);
}

TEST_CASE("all bodies together have a limit") {
  Limits limits;
  limits.all_body_bytes = 1000;
  HttpFixture served(limits);
  HttpClient one(served);
  one.write(HttpClient::post(std::string(600, ' '), {{"Content-Length", "700"}}));
  served.work();
  HttpClient other(served);
  other.write(HttpClient::post(std::string(600, ' '), {{"Content-Length", "700"}}));
  CHECK(other.hear().status == 503);
  one.close();
  served.until([&] { return served.transport->front_end().connections() <= 1; });
  HttpClient third(served);
  CHECK(third.ask(kList).status == 200);
}

TEST_CASE("clients that send too slowly are told so and closed") {
  HttpFixture served;
  const Limits limits;
  for (const bool in_head : {true, false}) {
    HttpClient client(served);
    const std::string text =
        in_head ? "POST /mcp" : HttpClient::post("", {{"Content-Length", "9"}});
    client.write(text);
    served.until([&] { return served.transport->front_end().connections() == 1; });
    served.work();
    for (int second = 0; second < 9; ++second) {
      served.pass(seconds(1));
      client.write(in_head ? "x" : "");
    }
    CHECK_FALSE(client.has_answer());
    served.pass(in_head ? limits.head_time : limits.body_time);
    CHECK(client.hear().status == 408);
    client.until_closed();
    client.close();
    served.until([&] { return served.transport->front_end().connections() == 0; });
  }
}

TEST_CASE("a connection without a request ends after a while") {
  HttpFixture served;
  HttpClient silent(served);
  HttpClient idle(served);
  CHECK(idle.ask(kList).status == 200);
  served.until([&] { return served.transport->front_end().connections() == 2; });
  served.pass(Limits{}.idle_time + seconds(1));
  silent.until_closed();
  idle.until_closed();
}

TEST_CASE("a client that does not read its stream is closed, and its call cancelled") {
  Limits limits;
  limits.unsent_bytes = std::size_t{2} * 1024 * 1024;
  HttpFixture served(limits);
  HttpClient client(served);
  Json call = call_of(1, "never");
  call["params"]["_meta"]["progressToken"] = "t";
  client.write(HttpClient::modern(call));
  served.until([&] { return served.runtime.fake.last == 1; });
  const std::string large(100'000, 'x');
  for (int step = 0; step < 200; ++step) {
    served.runtime.fake.report(1, step, {}, large);
    served.work();
  }
  // Progress is dropped while the client does not keep up; it was not closed for that.
  CHECK_FALSE(served.runtime.fake.calls.at(1).cancelled);
  CHECK(served.transport->front_end().unsent_bytes() < limits.unsent_bytes);
  served.pass(limits.read_time + seconds(1));
  CHECK(served.runtime.fake.calls.at(1).cancelled);
  CHECK(served.transport->front_end().unsent_bytes() == 0);
}

TEST_CASE("an answer beyond what a client may leave unread closes the connection") {
  Limits limits;
  limits.all_unsent_bytes = 200'000;
  HttpFixture served(limits);
  HttpClient client(served);
  served.runtime.answer = std::string(300'000, 'x');
  client.write(HttpClient::modern(call_of(1, "echo")));
  client.until_closed();
  served.runtime.answer = "small";
  HttpClient other(served);
  CHECK(other.ask(HttpClient::modern(call_of(1, "echo"))).status == 200);
}

TEST_CASE("a large answer arrives whole") {
  HttpFixture served;
  HttpClient client(served);
  served.runtime.answer = std::string(std::size_t{9} * 1024 * 1024, 'x');
  const Heard heard = client.ask(HttpClient::modern(call_of(1, "echo")));
  CHECK(heard.json()["result"]["content"][0]["text"] == served.runtime.answer);
}

TEST_CASE("beyond the limit, a new connection takes the place of one without a request") {
  Limits limits;
  limits.connections = 2;
  HttpFixture served(limits);
  HttpClient busy(served);
  busy.write(HttpClient::modern(call_of(1, "never")));
  served.until([&] { return served.runtime.fake.last == 1; });
  HttpClient idle(served);
  CHECK(idle.ask(kList).status == 200);
  HttpClient third(served);
  third.write(HttpClient::modern(call_of(1, "never")));
  served.until([&] { return served.runtime.fake.last == 2; });
  idle.until_closed();
  HttpClient fourth(served);
  CHECK(fourth.hear().status == 503);
  fourth.until_closed();
  served.runtime.fake.finish_text(1, "done");
  CHECK(busy.hear().status == 200);
}

TEST_CASE("requests in progress have a limit") {
  Limits limits;
  limits.exchanges = 1;
  HttpFixture served(limits);
  HttpClient one(served);
  one.write(HttpClient::modern(call_of(1, "never")));
  served.until([&] { return served.runtime.fake.last == 1; });
  HttpClient other(served);
  const Heard refused = other.ask(HttpClient::modern(call_of(1, "never")));
  CHECK(refused.status == 503);
  CHECK(refused.json()["id"] == 1);
  served.runtime.fake.finish_text(1, "done");
  one.hear();
  served.work();
  CHECK(other.ask(kList).status == 200);
}

TEST_CASE("a client that waits for permission to send its body gets it") {
  HttpFixture served;
  HttpClient client(served);
  const std::string body = Fixture::modern(1, "tools/list").dump();
  const std::size_t body_at = kList.size() - body.size();
  std::string head = kList.substr(0, body_at);
  head.insert(head.size() - 2, "Expect: 100-continue\r\n");
  CHECK(client.ask(head).status == 100);
  CHECK(client.ask(body).status == 200);
  std::string odd = kList;
  odd.insert(odd.find("\r\n") + 2, "Expect: miracles\r\n");
  CHECK(client.ask(odd).status == 417);
}

TEST_CASE("a client that asks for it is closed after the answer") {
  HttpFixture served;
  HttpClient client(served);
  std::string last = kList;
  last.insert(last.find("\r\n") + 2, "Connection: close\r\n");
  CHECK(client.ask(last).fields.at("connection") == "close");
  client.until_closed();
}

TEST_CASE("the end of the server cancels nothing twice and closes every connection") {
  HttpFixture served;
  HttpClient client(served);
  client.write(HttpClient::modern(call_of(1, "never")));
  served.until([&] { return served.runtime.fake.last == 1; });
  served.transport->stop();
  CHECK(served.runtime.handed_over);
  served.transport.reset();
  served.runtime.fake.fail(1, "cancelled", "");
}

}  // namespace
}  // namespace gibbous::mcp::http
