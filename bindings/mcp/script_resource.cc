// See script_resource.h.
#include "bindings/mcp/script_resource.h"

#include <utility>

#include "bindings/mcp/tool_result.h"

namespace gibbous::mcp {

Json describe_resource(const ResourceInfo& info) {
  Json described{{info.is_template ? "uriTemplate" : "uri", info.uri}, {"name", info.name}};
  if (!info.title.empty()) described["title"] = info.title;
  if (!info.description.empty()) described["description"] = info.description;
  if (!info.mime_type.empty()) described["mimeType"] = info.mime_type;
  if (info.size && !info.is_template) described["size"] = *info.size;
  if (!info.annotations.empty()) {
    Parsed annotations = parse_json(info.annotations);
    if (annotations.value.is_object()) described["annotations"] = std::move(annotations.value);
  }
  return described;
}

Fault resource_fault(const CallResult& result, int not_found) {
  const bool missing = result.code == "resource_not_found";
  return {missing ? not_found : kInternalError, error_text(result), Json{{"code", result.code}}};
}

}  // namespace gibbous::mcp
