#include "runtime/paths/question.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::paths {
namespace {

std::optional<Question> again(const Question& question) {
  const auto packet = encode(question);
  REQUIRE(packet);
  return decode_question(*packet);
}

TEST_CASE("question: it survives the way to a helper") {
  const auto read = again({Ask::kEnter, "/a b/c", {"/bin/sh", "tool", ""}});
  REQUIRE(read);
  CHECK(read->ask == Ask::kEnter);
  CHECK(read->path == "/a b/c");
  CHECK(read->files == std::vector<std::string>{"/bin/sh", "tool", ""});
}

TEST_CASE("question: broken packets are refused") {
  const std::string good = *encode(Question{Ask::kReal, "/x", {}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK_FALSE(decode_question(std::string_view(good).substr(0, size)));
  }
  std::string other = good;
  other[0] = 9;
  CHECK_FALSE(decode_question(other));
  CHECK_FALSE(again({Ask::kReal, "relative", {}}));
  CHECK_FALSE(again({Ask::kReal, "", {}}));
  CHECK_FALSE(encode(Question{Ask::kReal, "/" + std::string(kMaxQuestionBytes, 'x'), {}}));
  CHECK_FALSE(encode(Question{Ask::kEnter, "/", std::vector<std::string>(1000, "x")}));
}

TEST_CASE("answer: it survives the way back") {
  const auto read = decode_answer(encode(Answer{true, ENOENT, std::string("a\0b", 3)}));
  REQUIRE(read);
  CHECK(read->answered);
  CHECK(read->error == ENOENT);
  CHECK(read->text == std::string("a\0b", 3));
  CHECK_FALSE(decode_answer(std::string("abc")));
}

TEST_CASE("answer: what is at a path") {
  const testing::TempDir dir;
  dir.write("file", "text");
  std::filesystem::create_symlink("file", dir.path() + "/link");
  const std::string real = std::filesystem::canonical(dir.path()).string();
  CHECK(answer({Ask::kReal, dir.path() + "/link", {}}).text == real + "/file");
  CHECK(answer({Ask::kExists, dir.path() + "/link", {}}).error == 0);
  CHECK(answer({Ask::kExists, dir.path() + "/none", {}}).error == ENOENT);
  REQUIRE(::mkfifo((dir.path() + "/pipe").c_str(), 0600) == 0);
  CHECK(answer({Ask::kEnter, dir.path(), {"pipe", "file", "/none"}}).error == 0);
  CHECK(answer({Ask::kEnter, dir.path() + "/none", {}}).error == ENOENT);
}

TEST_CASE("the interpreter of a script is its first word") {
  CHECK(interpreter_of("#!/bin/sh\necho") == "/bin/sh");
  CHECK(interpreter_of("#! /usr/bin/env  python3") == "/usr/bin/env");
  CHECK(interpreter_of("#!\n/bin/sh").empty());
  CHECK(interpreter_of("#!").empty());
  CHECK(interpreter_of("\x7f"
                       "ELF")
            .empty());
  CHECK(interpreter_of("").empty());
}

}  // namespace
}  // namespace gibbous::paths
