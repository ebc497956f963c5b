// The steps of a start, by the name that a failure reports.
#pragma once

#include <cstdint>

namespace gibbous {

enum class StartStep : std::uint8_t {
  kRequest,
  kPipe,
  kFork,
  kSession,
  kLimits,
  kGroup,
  kSandbox,
  kChdir,
  kStdio,
  kTerminal,
  kExec
};

}  // namespace gibbous
