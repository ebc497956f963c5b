// `gibbous session`: reads calls and writes results, one JSON object a line.
#include "bindings/cli/session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/cli/answer.h"
#include "bindings/cli/commands.h"
#include "bindings/cli/json_members.h"
#include "bindings/cli/loop.h"
#include "bindings/cli/report.h"

namespace gibbous::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// When the input ends, as in `printf … | gibbous session`, quick calls may still finish, also on a
// busy machine.
constexpr milliseconds kInputEndedTime{1'000};
constexpr milliseconds kLastCancelTime{100};
constexpr milliseconds kFlushTime{1'000};

// With this much unread output, no further call is read.
constexpr std::size_t kStopReadingBytes = std::size_t{1} << 20;
// With this much, events and progress are dropped and counted. Results never are.
constexpr std::size_t kDropEventsBytes = std::size_t{4} << 20;

milliseconds time_until(steady_clock::time_point deadline) {
  return std::max(std::chrono::ceil<milliseconds>(deadline - steady_clock::now()), milliseconds{0});
}

}  // namespace

Session::Session(Runtime& runtime, stdio::ProgramSignals& signals, int input, int output,
                 Answers answers)
    : runtime_(runtime),
      signals_(signals),
      lines_({[this](std::string_view line) { take_line(line); },
              [this] {
                answer("",
                       error_member("invalid_request", "expected a line of at most " +
                                                           std::to_string(stdio::kMaxLineBytes) +
                                                           " bytes, got a longer one"));
              }}),
      output_(output),
      input_(input) {
  runtime_.on_event([this](const Event& event) {
    tell(answer_line("", "\"event\":" + on_one_line(event.json)));
  });
  if (answers.asks) {
    // The event ask_answered tells the client.
    runtime_.on_ask([this](AskRequest question) { ask(std::move(question)); },
                    [this](const std::string& id) { questions_.erase(id); });
  }
  if (answers.inputs) {
    runtime_.on_input([this](InputRequest question) { ask_for_input(std::move(question)); },
                      [this](const std::string& id) { inputs_.erase(id); });
  }
}

void Session::run() {
  while (state_ != State::kEnded) turn();
  drop_questions({}, "the session ended");
  runtime_.on_ask(nullptr);
  runtime_.on_input(nullptr);
  for (const auto& [id, call] : in_flight_) {
    answer(id, error_member("cancelled", "the session ended before the call did"));
  }
  runtime_.hand_over();
  tell_end_problem(runtime_);
  flush_rest();
}

void Session::turn() {
  const bool more = work(runtime_, output_.pending_bytes() == 0);
  output_.flush();
  if (dropped_lines_ > 0) notify_dropped();
  if (output_.broken()) state_ = State::kEnded;
  advance();
  if (state_ != State::kEnded) wait(more);
}

void Session::wait(bool more) {
  enum { kSignals, kOutput, kInput, kCount };
  const bool reading = state_ == State::kOpen && output_.pending_bytes() < kStopReadingBytes;
  // Even without POLLOUT poll reports that the last reader has gone.
  const short output_events = output_.pending_bytes() > 0 ? POLLOUT : 0;
  std::array<pollfd, kCount> descriptors = {pollfd{signals_.fd(), POLLIN, 0},
                                            pollfd{output_.fd(), output_events, 0},
                                            pollfd{reading ? input_ : -1, POLLIN, 0}};
  std::optional<milliseconds> limit;
  if (state_ != State::kOpen) limit = time_until(deadline_);
  rest(runtime_, more, descriptors, limit);

  if (descriptors[kInput].revents != 0) read_input();
  if (descriptors[kSignals].revents != 0 && signals_.take()) cancel_all();
  if ((descriptors[kOutput].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) state_ = State::kEnded;
}

// Leaves a state when its condition is met or its time is over.
void Session::advance() {
  const bool late = steady_clock::now() >= deadline_;
  const bool idle = in_flight_.empty() && drains_ == 0;
  switch (state_) {
    case State::kOpen:
    case State::kEnded:
      return;
    case State::kInputEnded:
      if (idle) {
        state_ = State::kEnded;
      } else if (late) {
        cancel_all();
      }
      return;
    case State::kCancelling:
      if (idle || late) state_ = State::kEnded;
      return;
  }
}

void Session::enter(State state, milliseconds limit) {
  state_ = state;
  deadline_ = steady_clock::now() + limit;
}

void Session::cancel_all() {
  if (state_ == State::kCancelling) return;
  enter(State::kCancelling, kLastCancelTime);
  for (const auto& [id, call] : in_flight_) (void)runtime_.cancel(call);
}

// The runtime has stopped; only the remaining output waits for its reader.
void Session::flush_rest() {
  enter(State::kEnded, kFlushTime);
  for (output_.flush(); output_.pending_bytes() > 0; output_.flush()) {
    const milliseconds left = time_until(deadline_);
    if (left == milliseconds{0}) return;
    pollfd ready{output_.fd(), POLLOUT, 0};
    (void)::poll(&ready, 1, static_cast<int>(left.count()));
  }
}

void Session::read_input() {
  const ssize_t count = ::read(input_, read_buffer_.data(), read_buffer_.size());
  if (count > 0) {
    lines_.feed({read_buffer_.data(), static_cast<std::size_t>(count)});
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    lines_.finish();
    drop_questions({}, "the session's input ended");  // no answer can come any more
    // Load the policy now; otherwise the last calls would spend their remaining time on it.
    if (!in_flight_.empty()) runtime_.load_policy();
    enter(State::kInputEnded, kInputEndedTime);
  }
}

void Session::take_line(std::string_view line) {
  Request request;
  if (const Status status = parse_request(line, &request); !status) {
    answer(request.id, error_member(status.code(), status.message()));
    return;
  }
  switch (request.kind) {
    case Request::Kind::kCall:
      start_call(std::move(request));
      return;
    case Request::Kind::kCancel:
      cancel(request);
      return;
    case Request::Kind::kReload:
      answer(request.id, reload_member(runtime_.reload()));
      return;
    case Request::Kind::kDrain:
      drain(request);
      return;
    case Request::Kind::kList:
      list(request);
      return;
    case Request::Kind::kAnswer:
      answer_question(request);
      return;
    case Request::Kind::kInput:
      answer_input(request);
      return;
  }
}

void Session::start_call(Request request) {
  if (in_flight_.count(request.id) > 0) {
    // The answer has no id, because the id belongs to the call in flight.
    answer("", error_member("duplicate_id",
                            "id " + request.id + " belongs to a call that is still in flight"));
    return;
  }
  CallRequest call;
  call.kind = request.called;
  call.tool = std::move(request.tool);
  call.arguments = std::move(request.arguments);
  call.session = std::move(request.session);
  call.wants_progress = request.wants_progress;
  call.wants_backlog = request.wants_backlog;
  const std::string id = std::move(request.id);
  in_flight_[id] = runtime_.call(
      std::move(call),
      [this, id](const CallResult& result) {
        drop_questions(in_flight_.at(id), "the call has ended");
        in_flight_.erase(id);
        answer(id, result_member(result));
      },
      [this, id](const Progress& progress) { tell(answer_line(id, progress_member(progress))); });
}

void Session::cancel(const Request& request) {
  const auto call = in_flight_.find(request.cancelled_id);
  const bool found = call != in_flight_.end() && runtime_.cancel(call->second);
  // The call may have ended meanwhile, which is not an error. Only a cancel with an id is answered.
  if (request.id.empty()) return;
  answer(request.id, std::string("\"cancel\":{\"found\":") + (found ? "true" : "false") + "}");
}

void Session::drain(const Request& request) {
  ++drains_;
  runtime_.drain_backlog(request.session, [this, id = request.id, session = request.session](
                                              std::vector<std::string> events) {
    --drains_;
    std::string member = "\"drain\":{\"session\":" + json_quote(session) + ",\"events\":[";
    const char* separator = "";
    for (std::string& event : events) {
      member.append(separator).append(on_one_line(std::move(event)));
      separator = ",";
    }
    answer(id, member + "]}");
  });
}

void Session::list(const Request& request) {
  const auto joined = [](const auto& infos, const auto& text_of, bool templates = false) {
    std::string list;
    for (const auto& info : infos) {
      std::string each = text_of(info, templates);
      if (!each.empty()) list += (list.empty() ? "" : ",") + on_one_line(std::move(each));
    }
    return "[" + list + "]";
  };
  const auto resource = [](const ResourceInfo& info, bool templates) {
    return info.is_template == templates ? resource_json(info) : std::string();
  };
  std::string body = "\"" + request.list + "\":";
  if (request.list == "tools") {
    body += on_one_line(runtime_.tools_json(ToolFormat::kMcp));
  } else if (request.list == "prompts") {
    body +=
        joined(runtime_.prompts(), [](const PromptInfo& info, bool) { return prompt_json(info); });
  } else {
    const std::vector<ResourceInfo> resources = runtime_.resources();
    body += joined(resources, resource) + ",\"templates\":" + joined(resources, resource, true);
  }
  answer(request.id, "\"list\":{" + body + "}");
}

const std::string* Session::asked_call(CallId call) const {
  const auto asks = [call](const auto& each) { return each.second == call; };
  const auto found = std::find_if(in_flight_.begin(), in_flight_.end(), asks);
  return found == in_flight_.end() || state_ != State::kOpen ? nullptr : &found->first;
}

// A question is never dropped, however slow the reader is, because a call waits for the answer.
void Session::ask(AskRequest question) {
  const std::string* call = asked_call(question.call);
  if (call == nullptr) {
    AskAnswer refusal;
    refusal.no_approver = true;
    question.reply(refusal);
    return;
  }
  answer("", ask_member(question, *call));
  questions_[question.id] = std::move(question);
}

void Session::ask_for_input(InputRequest question) {
  const std::string* call = asked_call(question.call);
  if (call == nullptr) {
    question.reply({{}, "the client of this call is gone"});
    return;
  }
  answer("", input_member(question, *call));
  inputs_[question.id] = std::move(question);
}

void Session::answer_input(const Request& request) {
  auto input = inputs_.extract(request.input);
  if (input.empty() || !input.mapped().reply(request.input_answer)) {
    answer(request.id,
           error_member("input_not_found", "there is no open input " + json_quote(request.input) +
                                               "; its call may have ended"));
    return;
  }
  if (!request.id.empty()) answer(request.id, "\"input\":{\"found\":true}");
}

void Session::answer_question(const Request& request) {
  auto question = questions_.extract(request.ask);
  if (question.empty()) {
    answer(request.id,
           error_member("ask_not_found", "there is no open ask " + json_quote(request.ask) +
                                             "; its call may have ended"));
    return;
  }
  AskAnswer given = request.answer;
  given.who = "gibbous session";
  question.mapped().reply(given);
  if (!request.id.empty()) answer(request.id, "\"answer\":{\"found\":true}");
}

void Session::drop_questions(std::optional<CallId> call, const char* why) {
  for (auto next = questions_.begin(); next != questions_.end();) {
    const auto question = next++;
    if (call && question->second.call != *call) continue;
    questions_.extract(question).mapped().answer(false, why);
  }
  for (auto next = inputs_.begin(); next != inputs_.end();) {
    const auto input = next++;
    if (call && input->second.call != *call) continue;
    inputs_.extract(input).mapped().reply({{}, why});
  }
}

void Session::answer(std::string_view id, std::string_view member) {
  output_.push(answer_line(id, member));
}

void Session::tell(std::string_view line) {
  if (output_.pending_bytes() < kDropEventsBytes) {
    output_.push(line);
  } else {
    ++dropped_lines_;
  }
}

void Session::notify_dropped() {
  if (output_.pending_bytes() >= kStopReadingBytes) return;
  answer("", "\"event\":{\"event\":\"events_dropped\",\"session\":\"\",\"count\":" +
                 std::to_string(dropped_lines_) + "}");
  dropped_lines_ = 0;
}

ExitCode run_session(const Options& options) {
  Result<std::unique_ptr<stdio::ProgramSignals>> signals = stdio::ProgramSignals::create();
  if (!signals) return fail(signals.status(), options);
  Result<std::unique_ptr<Runtime>> runtime = Runtime::create(options.runtime);
  if (!runtime) return fail(runtime.status(), options);
  warn_of_policy(**runtime);
  // The session lives on the heap because of its read buffer.
  std::make_unique<Session>(**runtime, **signals, STDIN_FILENO, STDOUT_FILENO,
                            Session::Answers{options.asks, options.inputs})
      ->run();
  // Every call has been answered and the keeper has the runs. Destroying the runtime would run the
  // cleanup of cancelled calls while the client waits for this process to exit.
  leave(ExitCode::kDone);
}

}  // namespace gibbous::cli
