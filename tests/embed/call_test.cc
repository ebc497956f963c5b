// What a host says about one call and learns of it: its deadline, questions that are withdrawn, and
// the bytes of a run.
#include <optional>
#include <string>
#include <vector>

#include "tests/embed/border.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::asking;
using testing::auto_mode;
using testing::Host;

TEST_CASE("embed: a call that exceeds its deadline is cancelled and says so") {
  Host host(auto_mode());
  std::optional<CallResult> result;
  CallRequest request{"wait_for", R"({"port":1,"timeout":600000})"};
  request.timeout = std::chrono::milliseconds(50);
  host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  CHECK(result->code == "timeout");
  CHECK_THAT(result->message, Contains("within"));
}

TEST_CASE("embed: a call that is cancelled at once has its result, also when all closes at once") {
  const testing::TempDir state;
  RuntimeOptions options = auto_mode();
  options.state_dir = state.path();
  options.session = "same";
  options.claim_session = true;
  Host first(options);
  CHECK(first.call("bg_status", Json::object()).ok);
  // Its first call may have to wait until it knows which session it has.
  Host second(options);
  std::vector<std::string> codes;
  const CallId id = second.runtime->call(
      {"bg_status"}, [&](const CallResult& result) { codes.push_back(result.code); });
  REQUIRE(second.runtime->cancel(id));
  bool closed = false;
  second.runtime->close([&] { closed = true; });
  REQUIRE(second.until([&] { return closed; }));
  CHECK(codes == std::vector<std::string>{"cancelled"});
}

// Arguments so long that they are read beside the loop.
std::string long_arguments() {
  return Json{{"command", "true # " + std::string(30'000, 'x')}}.dump();
}

TEST_CASE("embed: long arguments are read, and wrong ones refused, as short ones are") {
  Host host(auto_mode());
  std::vector<CallResult> results;
  const auto keep = [&](CallResult got) { results.push_back(std::move(got)); };
  host.runtime->call({"bg_start", long_arguments()}, keep);
  REQUIRE(host.until([&] { return results.size() == 1; }));
  INFO(results[0].message);
  CHECK(results[0].ok);
  host.runtime->call({"bg_start", long_arguments() + "}"}, keep);
  host.runtime->call({"bg_start", "[\"" + std::string(30'000, 'x') + "\"]"}, keep);
  REQUIRE(host.until([&] { return results.size() == 3; }));
  CHECK(results[1].code == "invalid_arguments");
  CHECK_THAT(results[1].message, Contains("not valid JSON"));
  CHECK(results[2].code == "invalid_arguments");
  CHECK_THAT(results[2].message, Contains("not array"));
}

TEST_CASE("embed: a call is cancelled, or its runtime closed, while its arguments are being read") {
  Host host(auto_mode());
  std::vector<std::string> codes;
  const auto keep = [&](const CallResult& got) { codes.push_back(got.code); };
  const CallId cancelled = host.runtime->call({"bg_start", long_arguments()}, keep);
  host.runtime->poll();
  CHECK(host.runtime->cancel(cancelled));
  REQUIRE(host.until([&] { return codes.size() == 1; }));
  host.runtime->call({"bg_start", long_arguments()}, keep);
  host.runtime->poll();
  bool closed = false;
  host.runtime->close([&] { closed = true; });
  REQUIRE(host.until([&] { return closed; }));
  REQUIRE(codes.size() == 2);
  CHECK(codes[0] == "cancelled");
  CHECK((codes[1] == "cancelled" || codes[1] == "shutdown"));
}

TEST_CASE("embed: a call that ends in time does not hear of its deadline") {
  Host host(auto_mode());
  std::vector<CallResult> results;
  CallRequest request{"bg_status", "{}"};
  request.timeout = std::chrono::milliseconds(20);
  host.runtime->call(request, [&](CallResult got) { results.push_back(std::move(got)); });
  REQUIRE(host.until([&] { return !results.empty(); }));
  // Another call outlasts the deadline of the first.
  host.call("wait_for", {{"port", 1}, {"timeout", 1}});
  CHECK(results.size() == 1);
}

TEST_CASE("embed: a question is withdrawn when its call is cancelled, and its answer is nothing") {
  Host host(asking());
  std::optional<AskRequest> asked;
  std::vector<std::string> withdrawn;
  host.runtime->on_ask([&](AskRequest request) { asked = std::move(request); },
                       [&](const std::string& id) { withdrawn.push_back(id); });
  std::optional<CallResult> result;
  const CallId id = host.runtime->call({"bg_start", R"({"command":"sleep 600"})"},
                                       [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return asked.has_value(); }));
  REQUIRE(host.runtime->cancel(id));
  REQUIRE(host.until([&] { return result.has_value() && !withdrawn.empty(); }));
  CHECK(withdrawn == std::vector<std::string>{asked->id});
  asked->answer(true, "too late");
  CHECK(host.call("bg_status", Json::object()).text == "No background processes.");
  CHECK(withdrawn.size() == 1);
}

TEST_CASE("embed: a call that is cancelled by the handler of its question takes no answer") {
  Host host(asking());
  std::optional<AskRequest> asked;
  std::vector<std::string> withdrawn;
  host.runtime->on_ask(
      [&](AskRequest request) {
        host.runtime->cancel(request.call);
        asked = std::move(request);
      },
      [&](const std::string& id) { withdrawn.push_back(id); });
  CHECK(host.call("bg_start", {{"command", "true"}}).code == "cancelled");
  REQUIRE(host.until([&] { return !withdrawn.empty(); }));
  AskAnswer always;
  always.allow = true;
  always.remember = AskAnswer::Remember::kAlways;
  CHECK_FALSE(asked->reply(always));
}

TEST_CASE("embed: a question that was answered is not withdrawn") {
  Host host(asking());
  std::vector<std::string> withdrawn;
  host.runtime->on_ask([](const AskRequest& request) { request.answer(true, ""); },
                       [&](const std::string& id) { withdrawn.push_back(id); });
  CHECK(host.call("bg_start", {{"command", "true"}}).ok);
  CHECK(host.call("bg_status", Json::object()).ok);
  CHECK(withdrawn.empty());
}

TEST_CASE("embed: a host reads the bytes of a run from a cursor on, to their end") {
  Host host(auto_mode());
  const std::string run = host.start("printf 'one\\ntwo'; printf err >&2");
  std::uint64_t cursor = 0;
  std::string all;
  const auto read = [&](OutputStream stream) {
    const auto part = host.runtime->read_output(run, stream, cursor, 3);
    REQUIRE(part.ok());
    all += part->bytes;
    CHECK(part->from == cursor);
    cursor = part->next;
    return part->ended;
  };
  REQUIRE(host.until([&] { return read(OutputStream::kStdout); }));
  CHECK(all == "one\ntwo");
  CHECK(read(OutputStream::kStdout));
  all.clear();
  cursor = 0;
  REQUIRE(host.until([&] { return read(OutputStream::kStderr); }));
  CHECK(all == "err");
  CHECK(host.runtime->read_output("nothing", OutputStream::kStdout, 0, 10).status().code() ==
        "run_not_found");
}

TEST_CASE("embed: bytes that are no longer kept are left out, and the offsets say so") {
  Host host(auto_mode());
  const std::string run = host.start("head -c 3000000 /dev/zero | tr '\\0' x");
  REQUIRE(host.until([&] { return host.saw_event("run_ended"); }));
  std::uint64_t cursor = 0;
  std::uint64_t read = 0;
  std::uint64_t skipped = 0;
  // The end of a run may be known before that of its output.
  REQUIRE(host.until([&] {
    const auto part = host.runtime->read_output(run, OutputStream::kStdout, cursor, 100'000);
    REQUIRE(part.ok());
    skipped += part->from - cursor;
    read += part->bytes.size();
    CHECK(part->next == part->from + part->bytes.size());
    cursor = part->next;
    return part->ended;
  }));
  CHECK(cursor == 3'000'000);
  CHECK(skipped > 0);
  CHECK(read + skipped == 3'000'000);
}

}  // namespace
}  // namespace gibbous
