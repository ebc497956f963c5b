#include "bindings/host/host_tool.h"

#include <string>
#include <utility>

#include "bindings/json/json.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMaxSchemaBytes = std::size_t{1} << 20;

Status check_schema(const std::string& field, const std::string& schema) {
  if (schema.empty()) return {};
  const bool fits = schema.size() <= kMaxSchemaBytes;
  if (fits && Json::parse(schema, nullptr, false).is_object()) return {};
  return Status::error("invalid_arguments",
                       field + ": expected a JSON object of at most 1 MiB, a schema");
}

}  // namespace

Result<std::shared_ptr<const HostTool>> checked_tool(HostTool tool,
                                                     const std::shared_ptr<Border>& border) {
  if (!tool.handler) {
    return Status::error("invalid_arguments", "handler: the tool '" + tool.name + "' has none");
  }
  Status good = check_schema("input_schema", tool.input_schema);
  if (good) good = check_schema("output_schema", tool.output_schema);
  if (good && tool.timeout.count() < 0) {
    good = Status::error("invalid_arguments", "timeout: expected 0 or more milliseconds");
  }
  if (!good) return good;
  tool.handler = [border, handler = Border::hold(border, std::move(tool.handler))](ToolCall call) {
    call.reply = behind<ToolAnswer>(border, std::move(call.reply));
    call.progress = behind<Progress>(border, std::move(call.progress));
    Border::call(border, "handler", [&] { (*handler)(std::move(call)); });
  };
  if (tool.on_cancel) {
    tool.on_cancel = [border,
                      on_cancel = Border::hold(border, std::move(tool.on_cancel))](CallId call) {
      Border::call(border, "on_cancel", [&] { (*on_cancel)(call); });
    };
  }
  return std::shared_ptr<const HostTool>(std::make_shared<HostTool>(std::move(tool)));
}

}  // namespace gibbous::host
