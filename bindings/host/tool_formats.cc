// Three vendors, one set of schemas. Keys keep the order that the vendors' documentation shows.
#include "bindings/host/tool_formats.h"

#include "bindings/json/json.h"

namespace gibbous::host {
namespace {

OrderedJson mcp_tool(const ToolInfo& tool) {
  OrderedJson entry = {{"name", tool.name}};
  if (!tool.title.empty()) entry["title"] = tool.title;
  entry["description"] = tool.description;
  entry["inputSchema"] = OrderedJson::parse(tool.input_schema);
  if (!tool.output_schema.empty()) entry["outputSchema"] = OrderedJson::parse(tool.output_schema);
  entry["annotations"] = OrderedJson::parse(tool.annotations);
  return entry;
}

OrderedJson openai_tool(const ToolInfo& tool) {
  return {{"type", "function"},
          {"function",
           {{"name", tool.name},
            {"description", tool.description},
            {"parameters", OrderedJson::parse(tool.input_schema)}}}};
}

OrderedJson anthropic_tool(const ToolInfo& tool) {
  return {{"name", tool.name},
          {"description", tool.description},
          {"input_schema", OrderedJson::parse(tool.input_schema)}};
}

}  // namespace

std::string format_tools(const std::vector<ToolInfo>& tools, ToolFormat format) {
  OrderedJson list = OrderedJson::array();
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
