// A command and a webhook of the configuration are told that a question waits.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "runtime/base/unique_fd.h"
#include "tests/bindings/host/ask_desk.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using testing::Desk;
using testing::question_of;

// What a listener on this machine was sent.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    auto* address = reinterpret_cast<sockaddr*>(&address_);
    REQUIRE(::bind(socket_.get(), address, size) == 0);
    REQUIRE(::listen(socket_.get(), 1) == 0);
    REQUIRE(::getsockname(socket_.get(), address, &size) == 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~Listener() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/hook";
  }
  bool has_text() const { return done_; }
  const std::string& text() const { return text_; }

 private:
  void serve() {
    const UniqueFd peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::array<char, 4096> bytes{};
    while (peer && text_.find("}\n") == std::string::npos) {
      const ssize_t count = ::read(peer.get(), bytes.data(), bytes.size());
      if (count <= 0) return;
      text_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    constexpr std::string_view kAnswer = "HTTP/1.1 204 No Content\r\n\r\n";
    (void)!::write(peer.get(), kAnswer.data(), kAnswer.size());
    done_ = true;
  }

  UniqueFd socket_;
  sockaddr_in address_{};
  std::string text_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

TEST_CASE("asks: a command of the configuration is told of a question, with no variable of runs") {
  Desk desk;
  const std::string seen = desk.dir.path() + "/seen";
  const std::string config = desk.dir.write(
      "config.lua",
      "return { env = { FOR_RUNS = 'x' }, asks = { notify = { command = { 'sh', '-c', "
      "'cat > \"$1\"; echo \"var:$FOR_RUNS\" >> \"$1\"; mv \"$1\" \"$1.done\"', 'sh', '" +
          seen + "' } } } }");
  desk.begin([&](RuntimeOptions& options) { options.config_file = config; });
  const std::string id = question_of(desk.call("git push https://ann:hunter2@example.com/x z"));
  REQUIRE(desk.host->until([&] { return fs::exists(seen + ".done"); }));
  std::ifstream file(seen + ".done");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  CHECK_THAT(text, Contains("\"id\":\"" + id + "\"") && Contains("git push") &&
                       Contains("var:\n") && !Contains("hunter2"));
  // Once for each question, however often its call comes.
  fs::remove(seen + ".done");
  CHECK(question_of(desk.call("git push https://ann:hunter2@example.com/x z")) == id);
  // It is no run of an agent.
  CHECK_FALSE(desk.host->saw_event("run_started"));
  CHECK_FALSE(desk.host->saw_event("ask_notice_failed"));
  CHECK_FALSE(fs::exists(seen + ".done"));
}

TEST_CASE("asks: a webhook gets the question in a POST") {
  Listener listener;
  Desk desk;
  const std::string config = desk.dir.write(
      "config.lua", "return { asks = { notify = { webhook = '" + listener.url() + "' } } }");
  desk.begin([&](RuntimeOptions& options) { options.config_file = config; });
  const std::string id = question_of(desk.call());
  REQUIRE(desk.host->until([&] { return listener.has_text(); }));
  CHECK_THAT(listener.text(), Contains("POST /hook HTTP/1.1") && Contains("application/json") &&
                                  Contains("\"id\":\"" + id + "\""));
}

TEST_CASE("asks: a notice that fails is an event, and the question stays") {
  Desk desk;
  const std::string config = desk.dir.write(
      "config.lua",
      "return { asks = { notify = { command = { 'sh', '-c', 'echo no bell >&2; exit 3' }, "
      "webhook = 'http://127.0.0.1:1/' } } }");
  desk.begin([&](RuntimeOptions& options) { options.config_file = config; });
  const std::string id = question_of(desk.call());
  std::string text;
  REQUIRE(desk.host->until([&] {
    text.clear();
    int failed = 0;
    for (const Event& event : desk.host->events) {
      if (event.name != "ask_notice_failed") continue;
      ++failed;
      text += event.json;
    }
    return failed == 2;
  }));
  CHECK_THAT(text, Contains("asks.notify.command: exit code 3: no bell") &&
                       Contains("asks.notify.webhook: ") && Contains(id));
  REQUIRE(desk.allow(id));
  CHECK(desk.call().ok);
}

TEST_CASE("asks: the configuration says how long a call waits, and a wrong address is an error") {
  Desk desk;
  desk.dir.write("config.lua", "return { asks = { wait_s = 3600 } }");
  desk.begin(
      [&](RuntimeOptions& options) { options.config_file = desk.dir.path() + "/config.lua"; });
  const std::size_t call = desk.begin_call();
  const OpenAsk open = desk.open();
  CHECK(open.waits);
  REQUIRE(desk.allow(open.ask.id));
  CHECK(desk.result(call).ok);
  for (const char* url : {"ftp://x", "http://", "https://"}) {
    INFO(url);
    desk.dir.write("wrong.lua",
                   std::string("return { asks = { notify = { webhook = '") + url + "' } } }");
    RuntimeOptions options = testing::auto_mode();
    options.config_file = desk.dir.path() + "/wrong.lua";
    const auto created = Runtime::create(std::move(options));
    REQUIRE_FALSE(created);
    CHECK_THAT(created.status().message(), Contains("asks.notify.webhook: "));
  }
}

}  // namespace
}  // namespace gibbous
