// Session: the loop of `gibbous session`. Reads calls as lines and writes results and events as
// lines, until the input ends, a signal comes or the reader has gone. Main thread; blocks only in
// poll(2).
//
// After the end of input, calls that are nearly done may finish (1 s); a signal does not wait for
// them. The other calls are cancelled and answered, the runs are handed to the keeper, and the
// reader has a second to take the output.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/cli/request.h"
#include "bindings/stdio/line_splitter.h"
#include "bindings/stdio/output_queue.h"
#include "bindings/stdio/program_signals.h"
#include "gibbous/runtime.h"

namespace gibbous::cli {

class Session {
 public:
  // What the client answers. Without `asks` the policy's questions are denied, and without `inputs`
  // scripts cannot ask.
  struct Answers {
    bool asks = false;
    bool inputs = false;
  };

  // All must outlive the session, except that the runtime may go once run() has returned.
  Session(Runtime& runtime, stdio::ProgramSignals& signals, int input, int output, Answers answers);

  // Returns at the end, after handing the remaining runs to the keeper.
  void run();

 private:
  static constexpr std::size_t kReadBytes = std::size_t{64} << 10;

  enum class State {
    kOpen,
    kInputEnded,  // for a moment, calls in flight may still end by themselves
    kCancelling,  // waiting for their answers
    kEnded,
  };

  void turn();
  void wait(bool more);
  void advance();
  void enter(State state, std::chrono::milliseconds limit);
  void cancel_all();
  void flush_rest();

  void read_input();
  void take_line(std::string_view line);
  void start_call(Request request);
  void cancel(const Request& request);
  void drain(const Request& request);
  void list(const Request& request);
  // The client's id of the call that a question is about; null when the client cannot be asked.
  const std::string* asked_call(CallId call) const;
  void ask(AskRequest question);
  void ask_for_input(InputRequest question);
  void answer_input(const Request& request);
  void answer_question(const Request& request);
  // Denies the open questions of this call, or of all calls, and gives up what scripts ask.
  void drop_questions(std::optional<CallId> call, const char* why);

  void answer(std::string_view id, std::string_view member);
  // Writes a line that a slow reader may miss.
  void tell(std::string_view line);
  void notify_dropped();

  Runtime& runtime_;
  stdio::ProgramSignals& signals_;
  stdio::LineSplitter lines_;
  stdio::OutputQueue output_;
  int input_;
  std::array<char, kReadBytes> read_buffer_;
  State state_ = State::kOpen;
  std::chrono::steady_clock::time_point deadline_;  // of any state but kOpen
  std::map<std::string, CallId> in_flight_;         // by the id, as JSON text
  int drains_ = 0;                                  // not answered yet
  std::map<std::string, AskRequest> questions_;     // by their id
  std::map<std::string, InputRequest> inputs_;      // by their id
  std::size_t dropped_lines_ = 0;
};

}  // namespace gibbous::cli
