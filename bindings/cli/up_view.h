// UpView: what `gibbous up` shows of its services: their lines behind their names, each name in a
// colour of its own, and what happens to them. Main thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bindings/cli/terminal.h"
#include "bindings/json/json.h"

namespace gibbous::cli {

class UpView {
 public:
  // `names`: those that will be shown. With `json` events are passed on as they are.
  UpView(const std::vector<std::string>& names, bool json);
  // One event of scripts/services/init.lua, as JSON text.
  void show(const std::string& event);
  // Nobody can read on: what was shown last did not get out.
  bool failed() const { return failed_; }

 private:
  void print(const Json& event);
  std::string prefix(const std::string& name) const;

  Terminal terminal_;
  std::map<std::string, Colour> colours_;
  std::size_t width_ = 0;
  bool json_;
  bool failed_ = false;
};

}  // namespace gibbous::cli
