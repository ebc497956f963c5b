#include "tests/runtime/journal/soak/ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace gibbous::soak {

Ledger::Ledger(const std::string& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_) return;
  std::perror(path.c_str());
  std::_Exit(2);
}

void Ledger::write(const std::string& line) const {
  const std::string text = line + "\n";
  if (::write(file_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return;
  std::perror("ledger");
  std::_Exit(2);
}

std::string payload_of(const std::string& run_id, std::int64_t attempt, std::uint64_t seq) {
  constexpr std::uint64_t kLengths = 701;
  return run_id + "/" + std::to_string(attempt) + "/" + std::to_string(seq) + "/" +
         std::string(seq * 97 % kLengths, 'x');
}

}  // namespace gibbous::soak
