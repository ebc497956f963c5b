// The checker of the soak: compares the ledger with the journal's file, which it reads by plain SQL
// and not by our reader.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gibbous::soak {

struct Findings {
  std::vector<std::string> wrong;  // the first ones
  std::uint64_t wrongs = 0;
  std::uint64_t runs = 0;
  std::map<std::string, std::uint64_t> by_status;
  std::uint64_t items = 0;
  std::uint64_t acknowledged = 0;  // items
  std::uint64_t executions = 0;
  std::uint64_t repeated = 0;  // runs with more than one attempt
  std::uint64_t settled = 0;
  std::uint64_t refused = 0;
};

// With `by_lease` a worker that slept may execute beside its heir: that is what the fence is for,
// and executions may overlap in time then.
Findings check_soak(const std::string& directory, bool by_lease);

}  // namespace gibbous::soak
