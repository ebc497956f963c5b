// OwedAnswers: callbacks that the writer thread owes. When the thread hangs at a disk and is given
// up, each is answered by the caller of give_up(), and what the thread says later is dropped. Any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

class OwedAnswers {
 public:
  // Returns what is to be called instead of `answer`, at most once. One that is dropped without a
  // call is owed no more.
  template <typename Answer>
  std::function<void(Answer)> owe(std::function<void(Answer)> answer) {
    if (!answer) return nullptr;
    auto debt = std::make_shared<Debt>(state_);
    auto held = std::make_shared<std::function<void(Answer)>>(std::move(answer));
    debt->number = state_->add([held](const Status& status) {
      if (const auto once = std::exchange(*held, nullptr)) once(Answer(status));
    });
    return [debt, held](Answer given) {
      // give_up() waits for a callback that is under way.
      const std::lock_guard calling(debt->state->calling);
      if (!debt->state->take(debt->number)) return;
      if (const auto once = std::exchange(*held, nullptr)) once(std::move(given));
    };
  }
  // Answers all that are owed. After it, none is called any more.
  void give_up(const Status& status) { state_->give_up(status); }

 private:
  using Refusal = std::function<void(const Status&)>;
  struct State {
    std::uint64_t add(Refusal refusal);
    bool take(std::uint64_t number);
    void give_up(const Status& status);

    std::recursive_mutex calling;  // a callback may ask for more
    std::mutex mutex;              // of all below
    std::unordered_map<std::uint64_t, Refusal> open;
    std::uint64_t last = 0;
  };
  struct Debt {
    explicit Debt(std::shared_ptr<State> of) : state(std::move(of)) {}
    ~Debt() { (void)state->take(number); }
    Debt(const Debt&) = delete;
    Debt& operator=(const Debt&) = delete;
    std::shared_ptr<State> state;
    std::uint64_t number = 0;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace gibbous
