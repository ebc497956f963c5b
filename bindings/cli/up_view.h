// UpView: the output of `gibbous up`: the lines and events of each service, with its name in front
// in its own colour. Main thread.
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
  // `names`: of all services. With `json` events are printed as they are.
  UpView(const std::vector<std::string>& names, bool json);
  // `event`: JSON text from scripts/services.
  void show(const std::string& event);
  // Returns true when the last output could not be written.
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
