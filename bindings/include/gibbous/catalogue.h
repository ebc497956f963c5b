// What clients are told of tools, resources and prompts, and in which formats: Runtime::tools(),
// resources(), prompts() and tools_json(). Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gibbous/task_use.h"

namespace gibbous {

// The description of a tool for a model. `*_schema` and `annotations` are JSON objects.
struct ToolInfo {
  std::string name;
  std::string toolset;
  std::string title;
  std::string description;
  std::string permission;  // read, write or execute
  std::string input_schema;
  std::string output_schema;  // "" when the tool declares none
  std::string annotations;
  bool structured = false;  // its data is for models, too (CallResult::structured)
  TaskUse task;
};

// A resource of the scripts, or a template of resources, such as notes://{day}.
struct ResourceInfo {
  std::string name;
  std::string toolset;
  std::string title;
  std::string description;
  std::string uri;                    // or the template
  bool is_template = false;           // {name} stands for text without / ? #, {+name} for any text
  std::string mime_type;              // "": unknown
  std::optional<std::uint64_t> size;  // bytes
  std::string annotations;  // a JSON object of MCP's (audience, priority, lastModified); "": none
};

// A prompt of the scripts. `arguments` is a JSON list of {"name", "title"?, "description"?,
// "required"}.
struct PromptInfo {
  std::string name;
  std::string toolset;
  std::string title;
  std::string description;
  std::string arguments;
};

// What MCP lists of one of them, as a JSON object: {"uri" or "uriTemplate", "name", "title"?,
// "description"?, "mimeType"?, "size"?, "annotations"?} and {"name", "title"?, "description"?,
// "arguments"?: [...]}.
std::string resource_json(const ResourceInfo& info);
std::string prompt_json(const PromptInfo& info);

// How tools are described: for MCP, or as the `tools` of a request to OpenAI's chat completions or
// responses, to Anthropic's messages, or to Gemini. The strict ones follow the rules of OpenAI's
// structured outputs: every parameter is required, one that may be absent may be null, and a tool
// whose parameters those rules cannot describe says "strict": false. Arguments that are null count
// as absent in every format.
enum class ToolFormat {
  kMcp,
  kOpenAi,
  kAnthropic,
  kOpenAiStrict,
  kOpenAiResponses,
  kOpenAiResponsesStrict,
  kGemini
};

// Returns the format of a name: mcp, openai, openai-strict, openai-responses,
// openai-responses-strict, anthropic or gemini. Another name has none.
std::optional<ToolFormat> tool_format_named(std::string_view name);

}  // namespace gibbous
