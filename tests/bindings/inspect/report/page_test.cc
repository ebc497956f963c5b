// The page about a session: its contents, untrusted text in it, and its size.
#include "bindings/inspect/report/page.h"

#include <chrono>
#include <string>

#include "bindings/inspect/journal_query.h"
#include "tests/support/catch.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::ItemType;
using gibbous::Json;
using namespace gibbous::report;
using namespace gibbous::testing;

namespace {

constexpr const char* kEvil = "</pre></script><script>alert(1)</script><img src=x onerror='x'>\"";

Story story_of(WrittenJournal& journal, const SampleSource& samples = nullptr) {
  journal.flush();
  auto reader = gibbous::inspect::open_journal(journal.directory());
  REQUIRE(reader);
  auto story = read_story(**reader, "s", journal.now(), samples);
  if (!story) FAIL(story.status().message());
  return std::move(*story);
}

std::string page_of(WrittenJournal& journal, const SampleSource& samples = nullptr) {
  return page_html(story_of(journal, samples));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("a page has runs, events, decisions and output") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make all", {{"label", "build"}, {"peak_rss_bytes", 1 << 20}});
  journal.out("AAAAaaa1", "\x1b[31mred\x1b[0m\n");
  journal.event("AAAAaaa1", "ready", {{"line", "listening on 3000"}});
  journal.decide("s", "AAAAaaa1",
                 {{"decision", "ask"},
                  {"rule", "test.ask"},
                  {"reason", "It builds."},
                  {"command", "make all"},
                  {"answer", {{"allow", true}, {"who", "sam"}, {"reason", "fine"}}}});
  journal.decide("other", "", {{"decision", "deny"}, {"rule", "not.ours"}});
  journal.start("BBBBbbb2", "other", "not of this session");
  journal.advance(std::chrono::seconds(5));
  journal.end("AAAAaaa1", "failed", 2);
  const std::string page = page_of(journal);
  for (const char* part : {"AAAAaaa1", "[build] make all", "<span class=\"f1\">red</span>", "ready",
                           "listening on 3000", "It builds.", "test.ask", "allowed by sam: fine",
                           "1.0 MiB", "bar failed", "Exit code", "5.0s"}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("BBBBbbb2") == std::string::npos);
  CHECK(page.find("not.ours") == std::string::npos);
}

TEST_CASE("a command that was allowed with its call and at its start has one row of decisions") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "true");
  const auto decide = [&journal](const char* effect, const char* command, const char* rule,
                                 const char* decision) {
    journal.decide("s", "",
                   {{"decision", decision},
                    {"rule", rule},
                    {"effect", effect},
                    {"tool", "bg_start"},
                    {"command", command}});
  };
  decide("call", "make all", "building", "allow");
  decide("call", "make check", "building", "allow");
  decide("start", "make all", "building", "allow");
  decide("start", "make check", "mode.start", "allow");  // for another reason
  decide("call", "make all", "building", "allow");
  decide("start", "make all", "building", "allow");
  decide("start", "make all", "building", "allow");  // the same call starts it again
  decide("call", "make clean", "asking", "ask");
  decide("start", "make clean", "asking", "ask");
  const std::string page = page_of(journal);
  CHECK(count(page, "<code>make all</code>") == 3);
  CHECK(count(page, "<code>make check</code>") == 2);
  CHECK(count(page, "<code>make clean</code>") == 2);
  CHECK(count(page, "left out") == 0);
}

TEST_CASE("a page shows no secrets") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "mysql -phunter2");
  journal.out("AAAAaaa1", "PASSWORD=hun");
  journal.out("AAAAaaa1", "ter2\n");
  journal.event("AAAAaaa1", "seen", {{"line", "PASSWORD=hunter2"}});
  journal.end("AAAAaaa1", "failed", 1, "PASSWORD=hunter2 was refused");
  const std::string page = page_of(journal);
  CHECK(page.find("ter2") == std::string::npos);
  CHECK(count(page, "PASSWORD=***") >= 3);
}

TEST_CASE("untrusted text does not become markup") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", kEvil,
                {{"label", kEvil}, {"cwd", kEvil}, {"tool", kEvil}, {"limit", kEvil}});
  journal.out("AAAAaaa1", std::string(kEvil) + "\n\x1b[38;5;208m" + kEvil + "\x1b[0m\n");
  journal.err("AAAAaaa1", kEvil);
  journal.add("AAAAaaa1", ItemType::kNote, kEvil);
  journal.event("AAAAaaa1", kEvil, {{"line", kEvil}});
  journal.add("AAAAaaa1", ItemType::kState, kEvil, Json{{"reason", kEvil}}.dump());
  journal.decide("s", "",
                 {{"decision", kEvil},
                  {"rule", kEvil},
                  {"reason", kEvil},
                  {"tool", kEvil},
                  {"command", kEvil},
                  {"answer", {{"who", kEvil}, {"reason", kEvil}}}});
  journal.end("AAAAaaa1", kEvil, 1, kEvil);
  const std::string page = page_of(journal);
  CHECK(count(page, "<script>") == 1);
  CHECK(count(page, "</script>") == 1);
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.find("onerror='") == std::string::npos);
  CHECK(page.find("&lt;img src=x onerror=&#39;x&#39;&gt;&quot;") != std::string::npos);
}

TEST_CASE("a page loads nothing and runs only its own script") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  const std::string page = page_of(journal);
  CHECK_THAT(page, Contains("default-src 'none'") && Contains("script-src 'sha256-"));
  for (const char* part : {"http://", "https://", "src=", "url(", "@import", "<link"}) {
    INFO(part);
    CHECK(page.find(part) == std::string::npos);
  }
  CHECK_THAT(page, Contains("prefers-color-scheme:dark"));
}

TEST_CASE("a page has a size limit: it keeps the newest output and counts the rest") {
  WrittenJournal journal;
  constexpr int kRuns = 40;
  const std::string line = std::string(900, '<') + "\n";
  for (int run = 0; run < kRuns; ++run) {
    const std::string id = "run-" + std::to_string(run);
    journal.start(id, "s", std::string(1'000, '"'));
    for (int i = 0; i < 300; ++i) journal.out(id, "\x1b[1m&" + line);
    for (std::size_t i = 0; i < kMaxStoryEvents + 50; ++i) {
      journal.event(id, "event", {{"line", std::string(900, '&')}});
    }
    journal.out(id, "the last of " + id + "\n");
    for (int i = 0; i < 50; ++i) {
      journal.decide("s", id,
                     {{"decision", "deny"}, {"rule", "r"}, {"command", std::string(2'000, '<')}});
    }
    journal.advance(std::chrono::seconds(1));
    journal.end(id, "completed");
    journal.flush();
  }
  const std::string page = page_of(journal);
  CHECK(page.size() <= kMaxPageBytes);
  CHECK(page.size() > kMaxPageBytes / 2);
  for (const char* part : {"the last of run-39", "older lines left out", "older events left out",
                           "older decisions left out"}) {
    INFO(part);
    CHECK(count(page, part) > 0);
  }
  CHECK(page.compare(page.size() - 8, 8, "</html>\n") == 0);
}

TEST_CASE("the output names what was not recorded") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "before\n");
  journal.lose("AAAAaaa1", 7);
  journal.out("AAAAaaa1", "after\n");
  CHECK_THAT(page_of(journal), Contains("before\n</div><div class=\"n\">") && Contains("after\n"));
}

TEST_CASE("curves are drawn from samples with their peaks, and omitted without samples") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  const SampleSource samples = [&](const std::string&) {
    std::vector<UsageSample> all;
    constexpr int kSamples = 5'000;
    for (int i = 0; i < kSamples; ++i) {
      const bool peak = i == kSamples / 2;
      all.push_back({.at = journal.now() + i * 1'000,
                     .rss_bytes = peak ? 900ULL << 20 : 10ULL << 20,
                     .cpu_ms = i * 500,
                     .processes = 1});
    }
    return all;
  };
  const std::string page = page_of(journal, samples);
  CHECK_THAT(
      page, Contains("Memory <b>900 MiB</b> at most") && Contains("Processor <b>50 %</b> at most"));
  CHECK(page.size() < 100'000);
  CHECK(page_of(journal).find("<figure") == std::string::npos);
}

TEST_CASE("a page about an unknown session suggests the nearest name") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "agent-7", "make");
  journal.flush();
  auto reader = gibbous::inspect::open_journal(journal.directory());
  const auto story = read_story(**reader, "agent-8", 0);
  REQUIRE_FALSE(story);
  CHECK_THAT(story.status().message(), Contains("did you mean 'agent-7'?"));
}

TEST_CASE("only lines that say so are errors, whichever stream they are on") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "npm ci");
  journal.err("AAAAaaa1", "npm warn deprecated inflight@1.0.6: This module is not supported\n");
  journal.err("AAAAaaa1", "npm error code E404\n");
  journal.out("AAAAaaa1", "x.c:3:1: error: oops\nfound 0 errors\n");
  const std::string page = page_of(journal);
  for (const char* part :
       {"<div class=\"s\">npm warn deprecated", "<div class=\"s e\">npm error code E404",
        "<div class=\"e\">x.c:3:1: error", "<div>found 0 errors"}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
}

TEST_CASE("the timeline has a mark for events, not for the ends that the bar has, and joins them") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.add("AAAAaaa1", ItemType::kState, "running", "{}");
  for (int i = 0; i < 10; ++i) journal.event("AAAAaaa1", "tick", {{"line", std::to_string(i)}});
  journal.advance(std::chrono::seconds(1));
  journal.event("AAAAaaa1", "late");
  journal.advance(std::chrono::seconds(1));
  journal.add("AAAAaaa1", ItemType::kState, "completed", R"({"reason":"exit code 0"})");
  journal.end("AAAAaaa1", "completed");
  const std::string page = page_of(journal);
  CHECK(count(page, "<i class=\"mark\" style") == 2);
  CHECK_THAT(page, Contains("tick  5&#10;and 4 more events\"") && Contains("left:50.000%"));
  CHECK(page.find("exit code 0") == std::string::npos);
}

TEST_CASE("a page says each fact once") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "server", {{"signal", "SIGTERM"}});
  journal.add("AAAAaaa1", ItemType::kState, "killed", R"({"reason":"killed with SIGTERM"})");
  journal.end("AAAAaaa1", "killed", 0, "killed with SIGTERM");
  journal.start("BBBBbbb2", "s", "make", {{"label", std::string(63, 'x') + "\xC3\xA4y"}});
  journal.end("BBBBbbb2", "failed", 2, "exit code 2");
  const std::string page = page_of(journal);
  CHECK_THAT(page, Contains("<dt>Reason</dt><dd>killed with SIGTERM") &&
                       Contains("<b class=\"killed\">killed</b><span>SIGTERM</span>") &&
                       Contains("<dt>Exit code</dt><dd>2</dd>"));
  for (const char* part : {"<dt>Signal", "<dd>exit code 2", "more)"}) {
    INFO(part);
    CHECK(page.find(part) == std::string::npos);
  }
  CHECK_THAT(page, Contains("[" + std::string(63, 'x') + "…] make"));
}
