// The part of the server that passes questions to the client: the policy's, and those of scripts.
// See server.h.
//
// Legacy: each question is a request to the client, while the call stays open. Modern: servers send
// no requests, so the request of the call is answered with the questions, all that the call asks at
// the same time, and the call is suspended.
// The client repeats the request with its answers and with a state that names the suspended call.
// The state is unguessable and valid once, for the same tool with the same arguments, so an answer
// can only answer what was asked.
//
// In both eras a script's form whose answer does not fit is put again, and says what was wrong. The
// policy takes such an answer as a refusal.
#include <algorithm>
#include <chrono>
#include <utility>

#include "bindings/mcp/elicitation.h"
#include "bindings/mcp/pending_call.h"
#include "bindings/mcp/server.h"
#include "bindings/stdio/question_text.h"
#include "runtime/base/random_id.h"

namespace gibbous::mcp {
namespace {

constexpr std::size_t kMaxErrorBytes = 500;
constexpr const char* kInputEnded = "the client's input has ended: it cannot answer";

// 144 random bits.
std::string unguessable() {
  return random_id() + random_id() + random_id();
}

// The client cannot ask: others may.
AskAnswer nobody(std::string why) {
  AskAnswer answer;
  answer.no_approver = true;
  answer.reason = std::move(why);
  return answer;
}

// The tool says that its calls become tasks at once.
bool is_task_at_once(const TaskUse& use) {
  return use.after && use.after->count() == 0;
}

}  // namespace

std::shared_ptr<Server::PendingCall> Server::find_call(CallId call) const {
  for (const auto* calls : {&calls_, &suspended_}) {
    for (const auto& [key, pending] : *calls) {
      if (pending->call == call) return pending;
    }
  }
  return nullptr;
}

void Server::on_ask(AskRequest request) {
  if (!options_.asks_client) return ClientQuestion(std::move(request)).give_up(nobody(""));
  if (options_.tasks != nullptr && options_.tasks->take_ask(request)) return;
  const std::shared_ptr<PendingCall> pending = closed_ ? nullptr : find_call(request.call);
  if (pending == nullptr) return;  // cancelled: an unanswered question is a refusal
  ClientQuestion question(std::move(request));
  if (!pending->can.ask) return question.give_up(nobody(""));
  if (is_deaf(*pending)) return question.give_up(nobody(kInputEnded));
  put(pending, std::move(question));
  await_answers(pending);
}

void Server::on_input(InputRequest request) {
  if (options_.tasks != nullptr && options_.tasks->take_input(request)) return;
  const std::shared_ptr<PendingCall> pending = closed_ ? nullptr : find_call(request.call);
  const bool more = request.more;
  ClientQuestion question(std::move(request));
  if (pending == nullptr) return question.give_up(nobody("no client waits for this call"));
  if (is_deaf(*pending)) return question.give_up(nobody(kInputEnded));
  if (question.suits(pending->can)) {
    put(pending, std::move(question));
  } else {
    question.give_up(nobody(question.inability()));
  }
  if (!more) await_answers(pending);
}

// A modern client gets the script's own name for the question, unless it is taken.
void Server::put(const std::shared_ptr<PendingCall>& pending, ClientQuestion question) {
  if (is_task_at_once(pending->task_use) && make_task(pending)) {
    return options_.tasks->ask(*pending->task, std::move(question));
  }
  std::string name = pending->era == Era::kModern ? question.key() : std::string();
  while (name.empty() || pending->questions.count(name) != 0) {
    name = "ask-" + std::to_string(++last_question_);
  }
  const ClientQuestion& held = pending->questions[name] = std::move(question);
  if (pending->era == Era::kModern) return;
  send(server_request(name, held.method(), held.params(legacy_enum_)), {&pending->id});
}

void Server::await_answers(const std::shared_ptr<PendingCall>& pending) {
  const bool waits = pending->era == Era::kModern && pending->state.empty();
  if (waits && !pending->questions.empty()) suspend(pending);
}

// A modern client learns it when it returns: its answer is then about nothing.
void Server::on_withdrawn(const std::string& question) {
  if (closed_ || (options_.tasks != nullptr && options_.tasks->withdraw(question))) return;
  for (const auto* calls : {&calls_, &suspended_}) {
    for (const auto& [key, pending] : *calls) {
      const auto found =
          std::find_if(pending->questions.begin(), pending->questions.end(),
                       [&](const auto& each) { return each.second.id() == question; });
      if (found == pending->questions.end()) continue;
      if (pending->era == Era::kLegacy) {
        send(notification("notifications/cancelled",
                          Json{{"requestId", found->first},
                               {"reason", "it was answered elsewhere, or its call has ended"}}),
             {&pending->id});
      }
      const ClientQuestion over = std::move(found->second);
      pending->questions.erase(found);
      return;
    }
  }
}

void Server::take(const Response& response) {
  if (!response.id.is_string()) return;
  const auto& name = response.id.get_ref<const std::string&>();
  for (const auto& [key, pending] : calls_) {
    if (pending->era != Era::kLegacy) continue;
    auto question = pending->questions.extract(name);
    if (question.empty()) continue;
    if (!response.error && question.mapped().asks_again(response.result)) {
      return put(pending, std::move(question.mapped()));
    }
    if (!response.error) return question.mapped().take(response.result);
    return question.mapped().give_up(
        nobody("the client could not ask: " + stdio::printable(*response.error, kMaxErrorBytes)));
  }
}

void Server::suspend(const std::shared_ptr<PendingCall>& pending) {
  calls_.erase(id_key(pending->id));
  pending->state = options_.state_prefix + unguessable();
  pending->expires = clock_.now() + options_.answer_time;
  suspended_[pending->state] = pending;
  Json requests = Json::object();
  for (const auto& [name, question] : pending->questions) {
    requests[name] =
        Json{{"method", question.method()}, {"params", question.params(TitledEnum::kOneOf)}};
  }
  send(response(pending->id, modern_.input_required(std::move(requests), pending->state)),
       {&pending->id, true});
}

void Server::resume(const Request& request, const Envelope& envelope, const CallRequest& call,
                    const Json& state) {
  const auto found =
      state.is_string() ? suspended_.find(state.get_ref<const std::string&>()) : suspended_.end();
  if (found == suspended_.end() || found->second->kind != call.kind ||
      found->second->tool != call.tool || found->second->arguments != call.arguments) {
    refuse(request.id, kInvalidParams,
           "requestState belongs to no open question about this call: it was answered already, it "
           "has expired, or it was given for another call. Make the call again without it");
    return;
  }
  const std::shared_ptr<PendingCall> pending = found->second;
  suspended_.erase(found);
  pending->state.clear();
  calls_[id_key(request.id)] = pending;
  hold_request(*pending, request, envelope);
  if (pending->result) {
    finish_call(pending, *std::exchange(pending->result, std::nullopt));
    return;
  }
  const auto responses = request.params.find("inputResponses");
  if (responses != request.params.end() && responses->is_object()) {
    for (const auto& [name, answer] : responses->items()) {
      const auto found = pending->questions.find(name);
      if (found == pending->questions.end() || found->second.asks_again(answer)) continue;
      auto question = pending->questions.extract(found);
      question.mapped().take(answer);
    }
  }
  for (auto next = pending->questions.begin(); next != pending->questions.end();) {
    const auto each = next++;
    if (each->second.suits(pending->can)) continue;
    auto lost = pending->questions.extract(each);
    lost.mapped().give_up(nobody(lost.mapped().inability()));
  }
  if (!pending->questions.empty()) suspend(pending);
}

void Server::ask_no_more() {
  asks_no_more_ = true;
  const auto calls = calls_;  // one that is given up may end at once
  for (const auto& [key, pending] : calls) {
    if (is_deaf(*pending)) withdraw(*pending, nobody(kInputEnded));
  }
}

// A modern client is not sent requests: it gets the question as its answer.
bool Server::is_deaf(const PendingCall& pending) const {
  return asks_no_more_ && pending.era == Era::kLegacy;
}

// Sends the result if the client still waits for one.
void Server::withdraw(PendingCall& pending, const AskAnswer& answer) {
  for (auto& [name, question] : std::exchange(pending.questions, {})) {
    if (pending.era == Era::kLegacy) {
      send(notification("notifications/cancelled",
                        Json{{"requestId", name}, {"reason", answer.reason}}),
           {&pending.id});
    }
    question.give_up(answer);
  }
}

void Server::give_up(std::shared_ptr<PendingCall> pending, const char* why) {
  withdraw(*pending, denial(why));
  const CallId call = pending->call;
  pending.reset();  // no request waits for its end
  backend_.cancel(call);
}

void Server::expire() {
  const Nanos now = clock_.now();
  make_due_tasks(now);
  for (auto next = suspended_.begin(); next != suspended_.end();) {
    if (next->second->expires > now) {
      ++next;
      continue;
    }
    std::shared_ptr<PendingCall> late = std::move(next->second);
    next = suspended_.erase(next);
    give_up(std::move(late), "the client did not answer in time");
  }
  for (const std::string& uri : outputs_.grown(now, backend_)) resource_updated(uri);
}

std::optional<Nanos> Server::next_timeout() const {
  std::optional<Nanos> soonest = outputs_.next_look();
  for (const auto& [state, pending] : suspended_) {
    if (!soonest || pending->expires < *soonest) soonest = pending->expires;
  }
  for (const auto& [key, pending] : calls_) {
    if (pending->task_at == Nanos::max()) continue;
    if (!soonest || pending->task_at < *soonest) soonest = pending->task_at;
  }
  if (soonest) *soonest = std::max(*soonest - clock_.now(), Nanos{0});
  return soonest;
}

}  // namespace gibbous::mcp
