// The matches of a WatchSet are those of RE2 on each line by itself, over random watchers and
// output; tests/fuzz/watch_fuzz.cc searches further.
#include <cstdint>
#include <random>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/watch_differential.h"
#include "tests/support/watch_input.h"

namespace gibbous {
namespace {

using testing::watch_problem;
using testing::WatchInput;

std::string random_bytes(std::mt19937& random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() & 0xFFU);
  return bytes;
}

std::string all_regexes(const std::vector<WatchSpec>& specs) {
  std::string all;
  for (const WatchSpec& spec : specs) all += spec.regex + "\n";
  return all;
}

void check_random(std::size_t rounds, std::size_t pieces, std::size_t max_chunk, bool flush) {
  constexpr std::size_t kBytesAPiece = 3;
  std::mt19937 random(static_cast<std::mt19937::result_type>(pieces));
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string bytes = random_bytes(random, 200 + pieces * kBytesAPiece);
    WatchInput input(bytes);
    const std::vector<WatchSpec> specs = input.specs();
    const std::string output = input.output(pieces);
    const auto chunk_bytes = [&] { return 1 + random() % max_chunk; };
    const std::string problem = watch_problem(specs, output, chunk_bytes, flush);
    if (problem.empty()) continue;
    CAPTURE(round, all_regexes(specs), output);
    FAIL(problem);
  }
}

TEST_CASE("each line has its own matches, however output is cut into chunks") {
  check_random(/*rounds=*/500, /*pieces=*/60, /*max_chunk=*/7, /*flush=*/false);
  check_random(/*rounds=*/200, /*pieces=*/300, /*max_chunk=*/200, /*flush=*/false);
}

TEST_CASE("output of many blocks has the matches of each line") {
  check_random(/*rounds=*/4, /*pieces=*/40'000, /*max_chunk=*/100'000, /*flush=*/false);
}

TEST_CASE("matching unfinished lines reports nothing twice and loses nothing") {
  check_random(/*rounds=*/500, /*pieces=*/61, /*max_chunk=*/9, /*flush=*/true);
}

}  // namespace
}  // namespace gibbous
