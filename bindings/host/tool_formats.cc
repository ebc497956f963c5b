// Three vendors, one set of schemas. Keys keep the order that the vendors' documentation shows.
#include "bindings/host/tool_formats.h"

#include <nlohmann/json.hpp>

namespace gibbous::host {
namespace {

using Json = nlohmann::ordered_json;

Json mcp_tool(const ToolInfo& tool) {
  Json entry = {{"name", tool.name}};
  if (!tool.title.empty()) entry["title"] = tool.title;
  entry["description"] = tool.description;
  entry["inputSchema"] = Json::parse(tool.input_schema);
  if (!tool.output_schema.empty()) entry["outputSchema"] = Json::parse(tool.output_schema);
  entry["annotations"] = Json::parse(tool.annotations);
  return entry;
}

Json openai_tool(const ToolInfo& tool) {
  return {{"type", "function"},
          {"function",
           {{"name", tool.name},
            {"description", tool.description},
            {"parameters", Json::parse(tool.input_schema)}}}};
}

Json anthropic_tool(const ToolInfo& tool) {
  return {{"name", tool.name},
          {"description", tool.description},
          {"input_schema", Json::parse(tool.input_schema)}};
}

}  // namespace

std::string format_tools(const std::vector<ToolInfo>& tools, ToolFormat format) {
  Json list = Json::array();
  for (const ToolInfo& tool : tools) {
    switch (format) {
      case ToolFormat::kMcp:
        list.push_back(mcp_tool(tool));
        break;
      case ToolFormat::kOpenAi:
        list.push_back(openai_tool(tool));
        break;
      case ToolFormat::kAnthropic:
        list.push_back(anthropic_tool(tool));
        break;
    }
  }
  return list.dump();
}

}  // namespace gibbous::host
