#include "bindings/c/messages.h"

#include <algorithm>
#include <utility>

#include "bindings/json/text.h"

namespace gibbous::c {
namespace {

constexpr std::size_t kMostEvents = 10'000;

bool is_droppable(const Message& message) {
  return message.kind == GIB_EVENT || message.kind == GIB_LOG || message.kind == GIB_PROGRESS;
}

// Adds a member whose value is JSON text already, without parsing it.
void splice(const char* name, const std::string& json, std::string* object) {
  if (json.empty()) return;
  object->pop_back();
  if (object->size() > 1) *object += ',';
  *object += '"';
  *object += name;
  *object += "\":";
  *object += json;
  *object += '}';
}

std::string joined(const std::vector<std::string>& items) {
  std::string list = "[";
  for (const std::string& item : items) {
    if (list.size() > 1) list += ',';
    list += item;
  }
  return list + "]";
}

}  // namespace

void Messages::add(Message message) {
  if (is_droppable(message)) {
    if (droppable_ == kMostEvents) make_room();
    ++droppable_;
  }
  waiting_.push_back(std::move(message));
}

void Messages::make_room() {
  const auto oldest = std::find_if(waiting_.begin(), waiting_.end(), is_droppable);
  if (oldest == waiting_.end()) return;
  waiting_.erase(oldest);
  --droppable_;
  ++dropped_;
}

Message Messages::take() {
  if (dropped_ > 0) {
    Message note;
    note.json = to_text(
        Json{{"event", "events_dropped"}, {"session", ""}, {"count", std::exchange(dropped_, 0)}});
    return note;
  }
  Message oldest = std::move(waiting_.front());
  waiting_.pop_front();
  if (is_droppable(oldest)) --droppable_;
  return oldest;
}

std::string result_json(const CallResult& result) {
  Json body = {{"ok", result.ok}};
  if (!result.ok) {
    body["code"] = result.code;
    body["message"] = result.message;
    if (!result.traceback.empty()) body["traceback"] = result.traceback;
  }
  if (result.ok || !result.text.empty()) body["text"] = result.text;
  if (result.structured) body["structured"] = true;
  Json reported = Json::array();
  for (const ReportedRun& each : result.reported) {
    reported.push_back({{"run", each.run}, {"ended", each.ended}});
  }
  if (!reported.empty()) body["reported"] = std::move(reported);
  std::string text = to_text(body);
  splice("data", result.data, &text);
  splice("content", result.content, &text);
  if (!result.backlog.empty()) splice("backlog", joined(result.backlog), &text);
  return text;
}

std::string progress_json(const Progress& progress) {
  Json body = {{"progress", progress.progress}, {"message", progress.message}};
  if (progress.total) body["total"] = *progress.total;
  if (progress.waiting) body["waiting"] = true;
  return to_text(body);
}

std::string ask_json(const AskRequest& request) {
  const Json body = {{"id", request.id},           {"session", request.session},
                     {"tool", request.tool},       {"effect", request.effect},
                     {"reason", request.reason},   {"rule", request.rule},
                     {"file", request.file},       {"line", request.line},
                     {"command", request.command}, {"commands", request.commands},
                     {"mode", request.mode},       {"workspace", request.workspace},
                     {"rules", request.rules},     {"may_approve_rules", request.may_approve_rules},
                     {"prefix", request.prefix}};
  std::string text = to_text(body);
  splice("arguments", request.arguments, &text);
  return text;
}

std::string input_json(const InputRequest& request) {
  std::string text =
      to_text(Json{{"id", request.id}, {"session", request.session}, {"kind", request.kind}});
  splice("params", request.params, &text);
  return text;
}

std::string host_call_json(const char* kind, const std::string& name, const std::string& arguments,
                           const std::string& session) {
  std::string text = to_text(Json{{kind, name}, {"session", session}});
  splice("arguments", arguments, &text);
  return text;
}

std::string list_json(const char* name, const std::vector<std::string>& items) {
  std::string text = "{}";
  splice(name, joined(items), &text);
  return text;
}

}  // namespace gibbous::c
