// Secrets in output are asterisks, wherever reads cut the bytes, and everything else stays as it
// is.
#include "runtime/output/secret_mask.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/output/stream.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

std::string masked(const std::vector<std::string>& secrets, std::string text) {
  SecretMask(secrets).apply(&text);
  return text;
}

// Gives the text to a stream in pieces of `piece` bytes, and returns its output.
std::string streamed(const std::vector<std::string>& secrets, const std::string& text,
                     std::size_t piece) {
  Stream stream(1024, 0);
  stream.mask(secrets);
  for (std::size_t at = 0; at < text.size();) {
    const auto areas = stream.prepare(piece);
    std::size_t copied = 0;
    for (const iovec& area : areas) {
      const std::size_t size = std::min({area.iov_len, piece - copied, text.size() - at});
      text.copy(static_cast<char*>(area.iov_base), size, at);
      at += size;
      copied += size;
    }
    stream.commit(copied);
  }
  stream.set_ended();
  return stream.read(0, text.size()).bytes;
}

TEST_CASE("each occurrence of a secret is masked byte for byte") {
  CHECK(masked({"hunter2"}, "a hunter2b hunter2") == "a *******b *******");
  CHECK(masked({"hunter2", "hunter22"}, "hunter22!") == "********!");
}

TEST_CASE("a secret with colours in it is masked, and the colours stay") {
  CHECK(masked({"hunter2"}, "a hun\x1b[01;31mter\x1b[m2 b") == "a ***\x1b[01;31m***\x1b[m* b");
  const std::string text = "x hun\x1b[01;31mter\x1b[m2 y hun\x1b[0m";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    CAPTURE(piece);
    CHECK(streamed({"hunter2"}, text, piece) == "x ***\x1b[01;31m***\x1b[m* y hun\x1b[0m");
  }
}

TEST_CASE("what begins as a secret and goes on with colours for ever is not held for ever") {
  std::string text = "hun";
  for (int i = 0; i < 10'000; ++i) text += "\x1b[0m";
  CHECK(SecretMask({"hunter2"}).apply(&text) == 0);
}

TEST_CASE("the lines of a secret are masked alone, and short ones are not") {
  CHECK(masked({"-----BEGIN\nMIIEow\r\nab\n"}, "MIIEow ab") == "****** ab");
  CHECK(masked({"abc", ""}, "abc") == "abc");
}

TEST_CASE("a secret that reads cut in two is masked as well") {
  const std::string text = "before hunter2 between hunthunter2 after hunt";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    CAPTURE(piece);
    CHECK(streamed({"hunter2"}, text, piece) == "before ******* between hunt******* after hunt");
  }
}

TEST_CASE("the beginning of a secret is held back until more comes, or it is released") {
  Stream stream;
  stream.mask({"hunter2"});
  const auto give = [&stream](std::string_view text) {
    text.copy(static_cast<char*>(stream.prepare(text.size())[0].iov_base), text.size());
    stream.commit(text.size());
  };
  give("name: hun");
  CHECK(stream.end() == 6);
  CHECK(stream.held() == 3);
  stream.release();
  CHECK(stream.end() == 9);
  CHECK(stream.held() == 0);
  give("dred");
  CHECK(stream.read(0, 100).bytes == "name: hundred");
}

}  // namespace
}  // namespace gibbous
