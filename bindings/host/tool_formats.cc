// One set of schemas for every vendor. Keys keep the order that the vendors' documentation shows.
#include "bindings/host/tool_formats.h"

#include <utility>

#include "bindings/host/gemini_schema.h"
#include "bindings/host/strict_schema.h"

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

// A tool that strict calls cannot describe says so: without a word, the Responses API would make
// every tool strict.
OrderedJson openai_function(const ToolInfo& tool, bool strict, bool said) {
  OrderedJson function = {{"name", tool.name}, {"description", tool.description}};
  if (strict) {
    if (Result<Json> schema = strict_schema(Json::parse(tool.input_schema))) {
      function["parameters"] = OrderedJson::parse(schema->dump());
      function["strict"] = true;
      return function;
    }
  }
  function["parameters"] = OrderedJson::parse(tool.input_schema);
  if (strict || said) function["strict"] = false;
  return function;
}

OrderedJson openai_tool(const ToolInfo& tool, bool strict) {
  return {{"type", "function"}, {"function", openai_function(tool, strict, false)}};
}

OrderedJson openai_responses_tool(const ToolInfo& tool, bool strict) {
  OrderedJson entry = {{"type", "function"}};
  entry.update(openai_function(tool, strict, true));
  return entry;
}

OrderedJson gemini_function(const ToolInfo& tool) {
  OrderedJson entry = {{"name", tool.name}, {"description", tool.description}};
  const Json schema = Json::parse(tool.input_schema);
  if (const std::optional<Json> made = gemini_schema(schema); !made) {
    entry["parametersJsonSchema"] = OrderedJson::parse(tool.input_schema);
  } else if (made->contains("properties")) {  // a function without parameters has none
    entry["parameters"] = OrderedJson::parse(made->dump());
  }
  return entry;
}

OrderedJson anthropic_tool(const ToolInfo& tool) {
  return {{"name", tool.name},
          {"description", tool.description},
          {"input_schema", OrderedJson::parse(tool.input_schema)}};
}

bool is_left_out(const Json& schema, Listed listed) {
  const auto rare = schema.is_object() ? schema.find("x-rare") : schema.end();
  if (listed.all || !schema.is_object() || rare == schema.end()) return false;
  return *rare == true || (*rare == "unconfined" && !listed.confines);
}

// Unknown fields are refused at every level; a definition says so once.
Json listed_part(Json schema, Listed which) {
  const auto closed = schema.find("additionalProperties");
  if (!which.all && closed != schema.end() && *closed == false) schema.erase(closed);
  return listed_schema(std::move(schema), which);
}

}  // namespace

Json listed_schema(Json schema, Listed which) {
  if (!schema.is_object()) return schema;
  schema.erase("x-rare");
  if (const auto properties = schema.find("properties"); properties != schema.end()) {
    Json listed = Json::object();
    for (const auto& [name, property] : properties->items()) {
      if (!is_left_out(property, which)) listed[name] = listed_part(property, which);
    }
    *properties = std::move(listed);
  }
  if (const auto items = schema.find("items"); items != schema.end()) {
    *items = listed_part(std::move(*items), which);
  }
  if (const auto branches = schema.find("oneOf"); branches != schema.end()) {
    Json listed = Json::array();
    for (const Json& branch : *branches) {
      if (!is_left_out(branch, which)) listed.push_back(listed_part(branch, which));
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
      case ToolFormat::kOpenAiStrict:
        list.push_back(openai_tool(tool, format == ToolFormat::kOpenAiStrict));
        break;
      case ToolFormat::kOpenAiResponses:
      case ToolFormat::kOpenAiResponsesStrict:
        list.push_back(openai_responses_tool(tool, format == ToolFormat::kOpenAiResponsesStrict));
        break;
      case ToolFormat::kAnthropic:
        list.push_back(anthropic_tool(tool));
        break;
      case ToolFormat::kGemini:
        list.push_back(gemini_function(tool));
        break;
    }
  }
  // The `tools` of a Gemini request are groups of functions.
  if (format == ToolFormat::kGemini && !list.empty()) {
    OrderedJson group = {{"functionDeclarations", std::move(list)}};
    list = OrderedJson::array({std::move(group)});
  }
  return list.dump();
}

std::vector<std::string> tools_not_strict(const std::vector<ToolInfo>& tools) {
  std::vector<std::string> found;
  for (const ToolInfo& tool : tools) {
    const Result<Json> schema = strict_schema(Json::parse(tool.input_schema));
    if (!schema) found.push_back(tool.name + ": " + schema.status().message());
  }
  return found;
}

}  // namespace gibbous::host

namespace gibbous {

std::optional<ToolFormat> tool_format_named(std::string_view name) {
  static constexpr std::pair<std::string_view, ToolFormat> kNames[] = {
      {"mcp", ToolFormat::kMcp},
      {"openai", ToolFormat::kOpenAi},
      {"openai-strict", ToolFormat::kOpenAiStrict},
      {"openai-responses", ToolFormat::kOpenAiResponses},
      {"openai-responses-strict", ToolFormat::kOpenAiResponsesStrict},
      {"anthropic", ToolFormat::kAnthropic},
      {"gemini", ToolFormat::kGemini}};
  for (const auto& [known, format] : kNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

}  // namespace gibbous
