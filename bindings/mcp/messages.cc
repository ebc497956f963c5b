// See messages.h.
#include "bindings/mcp/messages.h"

#include <utility>

namespace gibbous::mcp {
namespace {

// Lists are stale at once, because tools change whenever a script is saved. The answer to discover
// is valid for the life of the process, which an hour's cache does not outlast by much.
constexpr int kListTtlMs = 0;
constexpr int kDiscoverTtlMs = 3'600'000;
// Scripts and modes belong to the user.
constexpr const char* kCacheScope = "private";

Json server_info(const Identity& identity) {
  return Json{{"name", identity.name}, {"title", identity.title}, {"version", identity.version}};
}

Json capabilities() {
  return Json{{"tools", {{"listChanged", true}}},
              {"resources", {{"subscribe", true}, {"listChanged", true}}},
              {"prompts", {{"listChanged", true}}},
              {"completions", Json::object()},
              {"logging", Json::object()}};
}

std::string message(Json body) {
  body["jsonrpc"] = "2.0";
  return to_text(body);
}

std::string clipped(const std::string& text) {
  constexpr std::size_t kMaxErrorBytes = 2048;
  return text.size() <= kMaxErrorBytes ? text : text.substr(0, kMaxErrorBytes) + "...";
}

Json subscription_meta(const Json& subscription) {
  return Json{{kMetaSubscription, subscription}};
}

const char* changed_method(List list) {
  switch (list) {
    case List::kTools:
      return "notifications/tools/list_changed";
    case List::kResources:
      return "notifications/resources/list_changed";
    case List::kPrompts:
      return "notifications/prompts/list_changed";
  }
  return "";
}

}  // namespace

const char* subscription_name(List list) {
  switch (list) {
    case List::kTools:
      return "toolsListChanged";
    case List::kResources:
      return "resourcesListChanged";
    case List::kPrompts:
      return "promptsListChanged";
  }
  return "";
}

std::string response(const Json& id, Json result) {
  Json body{{"id", id}};
  body["result"] = std::move(result);
  return message(std::move(body));
}

std::string error_response(const Json& id, const Fault& fault) {
  // The message of a fault may quote the whole refused message.
  Json error{{"code", fault.code}, {"message", clipped(fault.message)}};
  if (!fault.data.is_null()) error["data"] = fault.data;
  Json body{{"error", std::move(error)}};
  if (!id.is_null()) body["id"] = id;
  return message(std::move(body));
}

std::string notification(const char* method, Json params) {
  Json body{{"method", method}};
  if (!params.empty()) body["params"] = std::move(params);
  return message(std::move(body));
}

std::string server_request(const Json& id, const char* method, Json params) {
  return message(Json{{"id", id}, {"method", method}, {"params", std::move(params)}});
}

std::string progress_notification(const Json& token, double progress, const Json& total,
                                  const std::string& text) {
  Json params{{"progressToken", token}, {"progress", json_number(progress)}};
  if (!total.is_null()) params["total"] = total;
  if (!text.empty()) params["message"] = text;
  return notification("notifications/progress", std::move(params));
}

std::string log_notification(LogLevel level, const std::string& logger, Json data) {
  Json params{{"level", log_level_name(level)}};
  if (!logger.empty()) params["logger"] = logger;
  params["data"] = std::move(data);
  return notification("notifications/message", std::move(params));
}

Json Dialect::list(const char* member, Json entries, const std::string& next_cursor) const {
  Json body{{member, std::move(entries)}};
  if (!next_cursor.empty()) body["nextCursor"] = next_cursor;
  return passing(std::move(body));
}

Json LegacyDialect::initialized(std::string_view revision) const {
  Json body{{"protocolVersion", revision},
            {"capabilities", capabilities()},
            {"serverInfo", server_info(identity_)}};
  if (!identity_.instructions.empty()) body["instructions"] = identity_.instructions;
  return body;
}

std::string LegacyDialect::list_changed(List list) const {
  return notification(changed_method(list), Json::object());
}

std::string LegacyDialect::resource_updated(const std::string& uri) const {
  return notification("notifications/resources/updated", Json{{"uri", uri}});
}

Json ModernDialect::result(Json body) const {
  body["resultType"] = "complete";
  body["_meta"][kMetaServerInfo] = server_info(identity_);
  return body;
}

Json ModernDialect::passing(Json body) const {
  body["ttlMs"] = kListTtlMs;
  body["cacheScope"] = kCacheScope;
  return result(std::move(body));
}

Json ModernDialect::discovered(bool tasks) const {
  Json offered = capabilities();
  if (tasks) offered["extensions"][kTasksExtension] = Json::object();
  Json body{{"supportedVersions", modern_revisions()},
            {"capabilities", std::move(offered)},
            {"ttlMs", kDiscoverTtlMs},
            {"cacheScope", kCacheScope}};
  if (!identity_.instructions.empty()) body["instructions"] = identity_.instructions;
  return result(std::move(body));
}

Json ModernDialect::input_required(Json requests, const std::string& state) const {
  Json body = result(Json{{"inputRequests", std::move(requests)}, {"requestState", state}});
  body["resultType"] = "input_required";
  return body;
}

Json ModernDialect::task_made(Json task) const {
  Json body = result(std::move(task));
  body["resultType"] = "task";
  return body;
}

std::string ModernDialect::acknowledged(const Json& subscription, const Honoured& honoured) const {
  Json listed = Json::object();
  for (const List list : honoured.lists) listed[subscription_name(list)] = true;
  if (!honoured.uris.empty()) listed["resourceSubscriptions"] = honoured.uris;
  if (!honoured.tasks.empty()) listed["taskIds"] = honoured.tasks;
  return notification(
      "notifications/subscriptions/acknowledged",
      Json{{"notifications", std::move(listed)}, {"_meta", subscription_meta(subscription)}});
}

std::string ModernDialect::list_changed(const Json& subscription, List list) const {
  return notification(changed_method(list), Json{{"_meta", subscription_meta(subscription)}});
}

std::string ModernDialect::resource_updated(const Json& subscription,
                                            const std::string& uri) const {
  return notification("notifications/resources/updated",
                      Json{{"uri", uri}, {"_meta", subscription_meta(subscription)}});
}

std::string ModernDialect::task_changed(const Json& subscription, Json task) const {
  task["_meta"] = subscription_meta(subscription);
  return notification("notifications/tasks", std::move(task));
}

Json ModernDialect::subscription_ended(const Json& subscription) const {
  return result(Json{{"_meta", subscription_meta(subscription)}});
}

}  // namespace gibbous::mcp
