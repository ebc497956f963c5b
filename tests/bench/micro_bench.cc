// Micro-costs, by Google Benchmark: reading back from a full ring, and appending to it. The
// baseline of each is memcpy of the same bytes, which is the least that a copy out of the ring can
// cost.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "runtime/output/stream.h"

namespace {

using gibbous::Stream;

constexpr std::size_t kLineBytes = 100;
constexpr std::uint64_t kTailLines = 50;
constexpr std::size_t kMaxBytes = std::size_t{64} << 10;

std::string line() {
  return std::string(kLineBytes - 1, 'x') + "\n";
}

Stream full_ring() {
  Stream stream;
  const std::string text = line();
  while (stream.begin() == 0) stream.append(text);
  return stream;
}

void tail_of_50_lines(benchmark::State& state) {
  const Stream stream = full_ring();
  for (auto _ : state) benchmark::DoNotOptimize(stream.tail(kTailLines, kMaxBytes));
}
BENCHMARK(tail_of_50_lines);

void memcpy_of_50_lines(benchmark::State& state) {
  const std::string source(kTailLines * kLineBytes, 'x');
  for (auto _ : state) benchmark::DoNotOptimize(std::string(source));
}
BENCHMARK(memcpy_of_50_lines);

void read_since_a_cursor(benchmark::State& state) {
  const Stream stream = full_ring();
  const auto cursor = stream.end() - kLineBytes;
  for (auto _ : state) benchmark::DoNotOptimize(stream.read(cursor, kMaxBytes));
}
BENCHMARK(read_since_a_cursor);

void read_when_nothing_is_new(benchmark::State& state) {
  const Stream stream = full_ring();
  for (auto _ : state) benchmark::DoNotOptimize(stream.read(stream.end(), kMaxBytes));
}
BENCHMARK(read_when_nothing_is_new);

void append_of_100_bytes(benchmark::State& state) {
  Stream stream = full_ring();
  const std::string text = line();
  for (auto _ : state) stream.append(text);
}
BENCHMARK(append_of_100_bytes);

}  // namespace

BENCHMARK_MAIN();
