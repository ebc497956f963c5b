// The soak in short (./dev soak journal is the long one): workers that share a journal are killed.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

namespace gibbous::testing {
namespace {

void soak(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program_directory() + "/journal_soak");
  ProgramSpec spec;
  spec.argv = std::move(arguments);
  const Outcome outcome = run_program(spec);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status.code == 0);
}

TEST_CASE("workers that are killed at random execute nothing twice and lose nothing acknowledged") {
  soak({"200"});
}

TEST_CASE("workers that are stopped until others have their runs write nothing into them") {
  soak({"--leases", "60"});
}

}  // namespace
}  // namespace gibbous::testing
