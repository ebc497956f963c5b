// Builds outgoing messages. The JSON-RPC envelope is the same for all; Dialect holds what differs
// between the eras, so that a new revision is one more class. Used by the server. Stateless; any
// thread.
#pragma once

#include <set>
#include <string>

#include "bindings/mcp/json.h"
#include "bindings/mcp/protocol.h"

namespace gibbous::mcp {

// How the server introduces itself.
struct Identity {
  std::string name = "gibbous";
  std::string title = "Gibbous";
  std::string version;
  std::string instructions;  // for the model; omitted when empty
};

std::string response(const Json& id, Json result);
// Omits a null id, which means that the id could not be read.
std::string error_response(const Json& id, const Fault& fault);
std::string notification(const char* method, Json params);
std::string server_request(const Json& id, const char* method, Json params);

std::string progress_notification(const Json& token, double progress, const Json& total,
                                  const std::string& message);
std::string log_notification(LogLevel level, const std::string& logger, Json data);

// The lists whose changes clients are told of.
enum class List { kTools, kResources, kPrompts };
inline constexpr List kLists[] = {List::kTools, List::kResources, List::kPrompts};
// Returns the name of a list in the filter of a modern subscription.
const char* subscription_name(List list);

// The messages of one era.
class Dialect {
 public:
  virtual ~Dialect() = default;
  // Adds the members that every result has in this era.
  virtual Json result(Json body) const = 0;
  // A result that is stale at once, such as a list.
  virtual Json passing(Json body) const = 0;
  // The error code for an unknown resource.
  virtual int resource_not_found() const = 0;

  // A page of a list; `next_cursor` is empty on the last one.
  Json list(const char* member, Json entries, const std::string& next_cursor) const;
};

class LegacyDialect final : public Dialect {
 public:
  explicit LegacyDialect(const Identity& identity) : identity_(identity) {}
  Json result(Json body) const override { return body; }
  Json passing(Json body) const override { return body; }
  int resource_not_found() const override { return kResourceNotFound; }
  Json initialized(std::string_view revision) const;
  std::string list_changed(List list) const;
  std::string resource_updated(const std::string& uri) const;

 private:
  const Identity& identity_;
};

// The supported parts of a modern client's subscription.
struct Honoured {
  std::set<List> lists;        // their changes
  std::set<std::string> uris;  // of resources
  std::set<std::string> tasks;
};

class ModernDialect final : public Dialect {
 public:
  explicit ModernDialect(const Identity& identity) : identity_(identity) {}
  Json result(Json body) const override;
  Json passing(Json body) const override;
  int resource_not_found() const override { return kInvalidParams; }
  // `tasks`: whether calls may be answered with tasks.
  Json discovered(bool tasks) const;
  // Sent instead of a result: the task that goes on.
  Json task_made(Json task) const;
  // Sent instead of a result: the questions that the client must answer before it repeats the call
  // with `state`.
  Json input_required(Json requests, const std::string& state) const;
  // All messages of a subscription carry the id of the request that opened it.
  std::string acknowledged(const Json& subscription, const Honoured& honoured) const;
  std::string list_changed(const Json& subscription, List list) const;
  std::string resource_updated(const Json& subscription, const std::string& uri) const;
  std::string task_changed(const Json& subscription, Json task) const;
  Json subscription_ended(const Json& subscription) const;

 private:
  const Identity& identity_;
};

}  // namespace gibbous::mcp
