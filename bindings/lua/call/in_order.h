// InOrder: requests of a session that take more than one turn, one after another: what a session
// requests takes effect behind what it requested before. Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace gibbous::lua {

class InOrder {
 public:
  using Done = std::function<void()>;
  // Calls `done` once, now or later; after this object is gone, `done` does nothing.
  using Step = std::function<void(Done done)>;

  // Begins the step at once when nothing of this session is under way.
  void run(const std::string& session, Step step);
  bool is_busy(const std::string& session) const { return lines_->count(session) != 0; }

 private:
  struct Line {
    std::deque<Step> steps;  // the first has begun
    bool is_over = false;    // the first is done
    bool in_loop = false;
  };
  using Lines = std::map<std::string, Line>;
  static void advance(const std::shared_ptr<Lines>& lines, const std::string& session);

  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

}  // namespace gibbous::lua
