#include "bindings/host/host_tool.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "bindings/json/json.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMaxFunctionName = 50;
constexpr std::size_t kMaxSchemaBytes = std::size_t{1} << 20;

Status check_schema(const std::string& field, const std::string& schema) {
  if (schema.empty()) return {};
  const bool fits = schema.size() <= kMaxSchemaBytes;
  if (fits && Json::parse(schema, nullptr, false).is_object()) return {};
  return Status::error("invalid_arguments",
                       field + ": expected a JSON object of at most 1 MiB, a schema");
}

Result<std::shared_ptr<const lua::HostPart>> checked_part(lua::HostPart part,
                                                          const std::shared_ptr<Border>& border) {
  Status good = check_schema("input_schema", part.input_schema);
  if (good) good = check_schema("output_schema", part.output_schema);
  if (good && part.timeout.count() < 0) {
    good = Status::error("invalid_arguments", "timeout: expected 0 or more milliseconds");
  }
  if (!good) return good;
  part.handler = [border, handler = Border::hold(border, std::move(part.handler))](ToolCall call) {
    call.reply = behind<ToolAnswer>(border, std::move(call.reply));
    call.progress = behind<Progress>(border, std::move(call.progress));
    Border::call(border, "handler", [&] { (*handler)(std::move(call)); });
  };
  if (part.on_cancel) {
    part.on_cancel =
        [border, on_cancel = Border::hold(border, std::move(part.on_cancel))](std::uint64_t id) {
          Border::call(border, "on_cancel", [&] { (*on_cancel)(id); });
        };
  }
  return std::shared_ptr<const lua::HostPart>(std::make_shared<lua::HostPart>(std::move(part)));
}

bool is_identifier(const std::string& name) {
  const auto is_word = [](unsigned char byte) { return std::isalnum(byte) != 0 || byte == '_'; };
  return !name.empty() && name.size() <= kMaxFunctionName &&
         std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), is_word);
}

}  // namespace

Result<std::shared_ptr<const lua::HostPart>> checked_tool(HostTool tool,
                                                          const std::shared_ptr<Border>& border) {
  if (!tool.handler) {
    return Status::error("invalid_arguments", "handler: the tool '" + tool.name + "' has none");
  }
  return checked_part({std::move(tool), false, nullptr}, border);
}

Result<std::shared_ptr<const lua::HostPart>> checked_function(
    HostFunction function, const std::shared_ptr<Border>& border) {
  if (!is_identifier(function.name)) {
    return Status::error("invalid_arguments",
                         "name: expected up to 50 letters, digits and _, no digit first, got '" +
                             function.name + "'");
  }
  if (static_cast<bool>(function.handler) == static_cast<bool>(function.pure)) {
    return Status::error("invalid_arguments", "handler: the function '" + function.name +
                                                  "' needs a handler or is pure, one of the two");
  }
  lua::HostPart part;
  part.is_function = true;
  part.name = lua::kHostPrefix + function.name;
  part.description = std::move(function.description);
  part.permission = std::move(function.permission);
  part.input_schema = std::move(function.input_schema);
  part.output_schema = std::move(function.output_schema);
  part.timeout = function.timeout;
  part.handler = std::move(function.handler);
  part.on_cancel = std::move(function.on_cancel);
  if (function.pure) {
    part.pure = [border, pure = Border::hold(border, std::move(function.pure))](
                    const std::string& arguments) {
      ToolAnswer answer;
      answer.ok = false;
      answer.code = "host_error";
      answer.message = "the function of the host threw an exception";
      Border::call(border, "pure", [&] { answer = (*pure)(arguments); });
      return answer;
    };
    part.handler = [pure = part.pure](const ToolCall& call) { call.reply(pure(call.arguments)); };
  }
  return checked_part(std::move(part), border);
}

}  // namespace gibbous::host
