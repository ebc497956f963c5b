// The child of the benchmarks, plain C in spirit:
//   bench_child write BYTES CHUNK LINE writes BYTES bytes in chunks, a newline every LINE bytes
//   bench_child stamp                    for each byte read, writes a line with CLOCK_MONOTONIC in
//   microseconds
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

int write_bytes(std::size_t total, std::size_t chunk, std::size_t line) {
  std::string text(chunk, 'x');
  for (std::size_t at = line; at <= chunk; at += line) text[at - 1] = '\n';
  while (total > 0) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), std::min(total, chunk));
    if (count <= 0) return 1;
    total -= static_cast<std::size_t>(count);
  }
  return 0;
}

int stamp_lines() {
  char poke;
  while (::read(STDIN_FILENO, &poke, 1) == 1) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    char line[64];
    const int length = std::snprintf(
        line, sizeof line, "%.3f\n",
        static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3);
    if (::write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "write") == 0) {
    return write_bytes(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10),
                       std::strtoull(argv[4], nullptr, 10));
  }
  if (argc == 2 && std::strcmp(argv[1], "stamp") == 0) return stamp_lines();
  return 2;
}
