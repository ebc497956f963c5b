// Lines of output as HTML, and the file that a page becomes.
#include "bindings/inspect/report/output_html.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "bindings/inspect/report/page_file.h"
#include "runtime/output/text.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

using Catch::Matchers::Contains;
using namespace gibbous::report;
using gibbous::testing::TempDir;

namespace {

std::string line(const std::string& raw) {
  return OutputHtml().line(raw);
}

std::string content_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("colours become spans that end with their line") {
  CHECK(line("plain") == "plain");
  CHECK(line("\x1b[31mred\x1b[0m.") == "<span class=\"f1\">red</span>.");
  CHECK(line("\x1b[1;4;92mx") == "<span class=\"f10 b u\">x</span>");
  CHECK(line("\x1b[41;97mx") == "<span class=\"f15 h g1\">x</span>");
  CHECK(line("\x1b[38;5;208mx") == "<span style=\"color:#ff8700;\">x</span>");
  CHECK(line("\x1b[38;5;232mx") == "<span style=\"color:#080808;\">x</span>");
  CHECK(line("\x1b[48;2;1;2;3mx") == "<span class=\"h\" style=\"background:#010203;\">x</span>");
  CHECK(line("\x1b[7mx\x1b[27my") == "<span class=\"fi gi\">x</span>y");
  OutputHtml html;
  CHECK(html.line("\x1b[32mone") == "<span class=\"f2\">one</span>");
  CHECK(html.line("two\x1b[39m") == "<span class=\"f2\">two</span>");
  CHECK(html.line("three") == "three");
}

TEST_CASE("other sequences are removed, and every character is text") {
  CHECK(line("\x1b[2J\x1b]0;t\x07<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  CHECK(line("10%\r20%") == "20%");
  CHECK(line("\xC3\xA4\xC2\xA9\xE2\x82\xAC\xFF") == "\xC3\xA4\xC2\xA9\xE2\x82\xAC\xEF\xBF\xBD");
  CHECK(line("\x1b[38;5mx") == "x");
  CHECK(line("\x1b[99999999999999mx") == "x");
}

TEST_CASE("random input gives a line of UTF-8 with balanced spans and no other markup") {
  constexpr int kInputs = 3'000;
  const std::string alphabet = "\x1b\x1b\x1b[[]0123478;:mmmJK<>&\"'\xC2\x9B\xE2\x82\xAC\r\tab\x07";
  std::mt19937 random(11);  // NOLINT: the same inputs each time
  OutputHtml html;
  for (int input = 0; input < kInputs; ++input) {
    std::string raw;
    for (int i = 0; i < 50; ++i) raw += alphabet[random() % alphabet.size()];
    const std::string shown = html.line(raw);
    REQUIRE(gibbous::is_utf8(shown));
    int open = 0;
    for (std::size_t at = shown.find('<'); at != std::string::npos; at = shown.find('<', at + 1)) {
      INFO(shown);
      const bool closes = shown.compare(at, 7, "</span>") == 0;
      REQUIRE((closes || shown.compare(at, 6, "<span ") == 0));
      open += closes ? -1 : 1;
      REQUIRE((open == 0 || open == 1));
    }
    REQUIRE(open == 0);
  }
}

TEST_CASE("a page is written whole, for its owner only, and replaces an older one") {
  const TempDir dir;
  const std::string path = dir.write("page.html", "old");
  REQUIRE(write_page(path, "new"));
  CHECK(content_of(path) == "new");
  struct stat file {};
  REQUIRE(::stat(path.c_str(), &file) == 0);
  CHECK((file.st_mode & 0777U) == 0600U);
  const auto entries = std::filesystem::directory_iterator(dir.path());
  CHECK(std::distance(begin(entries), end(entries)) == 1);
}

TEST_CASE("a page is not written through a link or over a directory") {
  const TempDir dir;
  const std::string target = dir.write("target", "precious");
  const std::string link = dir.path() + "/link.html";
  REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
  const auto refused = write_page(link, "new");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.message(), Contains(link) && Contains("symbolic link"));
  CHECK(content_of(target) == "precious");
  CHECK_FALSE(write_page(dir.path(), "new"));
  CHECK_FALSE(write_page(dir.path() + "/none/page.html", "new"));
  CHECK_FALSE(write_page("", "new"));
}

TEST_CASE("the name of a session becomes a plain file name") {
  CHECK(page_name("agent-7") == "gibbous-agent-7.html");
  CHECK(page_name("../../etc/x y") == "gibbous-______etc_x_y.html");
  CHECK(page_name("") == "gibbous-session.html");
}
