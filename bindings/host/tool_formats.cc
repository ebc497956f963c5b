// Three vendors, one set of schemas. Keys keep the order that the vendors' documentation shows.
#include "bindings/host/tool_formats.h"

#include <utility>

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

bool is_rare(const Json& schema) {
  return schema.is_object() && schema.value("x-rare", false);
}

// Unknown fields are refused at every level; a definition says so once.
Json listed_part(Json schema, bool all) {
  const auto closed = schema.find("additionalProperties");
  if (!all && closed != schema.end() && *closed == false) schema.erase(closed);
  return listed_schema(std::move(schema), all);
}

}  // namespace

Json listed_schema(Json schema, bool all) {
  if (!schema.is_object()) return schema;
  schema.erase("x-rare");
  if (const auto properties = schema.find("properties"); properties != schema.end()) {
    Json listed = Json::object();
    for (const auto& [name, property] : properties->items()) {
      if (all || !is_rare(property)) listed[name] = listed_part(property, all);
    }
    *properties = std::move(listed);
  }
  if (const auto items = schema.find("items"); items != schema.end()) {
    *items = listed_part(std::move(*items), all);
  }
  if (const auto branches = schema.find("oneOf"); branches != schema.end()) {
    Json listed = Json::array();
    for (const Json& branch : *branches) {
      if (all || !is_rare(branch)) listed.push_back(listed_part(branch, all));
    }
    if (listed.size() == 1) {
      schema.erase("oneOf");
      schema.update(listed[0]);
    } else {
      schema["oneOf"] = std::move(listed);
    }
  }
  return schema;
}

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
