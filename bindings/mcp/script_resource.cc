// See script_resource.h.
#include "bindings/mcp/script_resource.h"

#include <utility>

#include "bindings/mcp/tool_result.h"

namespace gibbous::mcp {

Json describe_resource(const ResourceInfo& info) {
  return parse_json(resource_json(info)).value;
}

Fault resource_fault(const CallResult& result, int not_found) {
  const bool missing = result.code == "resource_not_found";
  return {missing ? not_found : kInternalError, error_text(result), Json{{"code", result.code}}};
}

}  // namespace gibbous::mcp
