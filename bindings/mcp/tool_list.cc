// See tool_list.h.
#include "bindings/mcp/tool_list.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gibbous::mcp {
namespace {

constexpr std::string_view kCursorPrefix = "after:";

struct Hint {
  const char* name;
  bool when_absent;  // what a client assumes without the hint
};
constexpr std::array<Hint, 4> kHints = {{{"readOnlyHint", false},
                                         {"destructiveHint", true},
                                         {"idempotentHint", false},
                                         {"openWorldHint", true}}};

Json object_or_empty(const std::string& text) {
  Parsed parsed = parse_json(text);
  return parsed.failure == ParseFailure::kNone && parsed.value.is_object() ? std::move(parsed.value)
                                                                           : Json::object();
}

// All four hints are always sent: without one, a host assumes "destructive" or "open world".
Json annotations(const ToolInfo& tool) {
  Json hints = object_or_empty(tool.annotations);
  for (const Hint& hint : kHints) {
    if (!hints.contains(hint.name)) hints[hint.name] = hint.when_absent;
  }
  return hints;
}

bool has(const std::vector<ToolInfo>& tools, std::string_view name) {
  return std::any_of(tools.begin(), tools.end(),
                     [name](const ToolInfo& tool) { return tool.name == name; });
}

bool is_small(const std::vector<ToolInfo>& tools, std::size_t limit) {
  std::size_t bytes = 0;
  for (const ToolInfo& tool : tools) bytes += tool.description.size() + tool.input_schema.size();
  return bytes <= limit;
}

// Measured for Claude Code 2.1.332 (docs/hosts/claude-code.md); other clients ignore them.
void add_hints_for_search(const ToolInfo& tool, bool load, Json* described) {
  if (load) {
    (*described)["_meta"] = {{"anthropic/alwaysLoad", true}};
  } else if (!tool.title.empty()) {
    (*described)["_meta"] = {{"anthropic/searchHint", tool.title}};
  }
}

}  // namespace

Json describe_tool(const ToolInfo& tool, bool structured) {
  Json described{{"name", tool.name}, {"annotations", annotations(tool)}};
  if (!tool.title.empty()) described["title"] = tool.title;
  if (!tool.description.empty()) described["description"] = tool.description;
  Json input = object_or_empty(tool.input_schema);
  input["type"] = "object";
  described["inputSchema"] = std::move(input);
  if (!structured && !tool.structured) return described;
  Json output = object_or_empty(tool.output_schema);
  // Legacy clients accept object schemas only, and structuredContent is an object in both eras.
  if (output.contains("type") && output["type"] == "object") {
    // The events since the last call (tool_result.h).
    Json& properties = output["properties"];
    if (!properties.contains("events")) properties["events"] = Json{{"type", "array"}};
    described["outputSchema"] = std::move(output);
  }
  return described;
}

std::optional<ToolPage> tool_page(std::vector<ToolInfo> tools, const std::string& cursor,
                                  const PageLimits& limits, bool structured) {
  std::sort(tools.begin(), tools.end(),
            [](const ToolInfo& left, const ToolInfo& right) { return left.name < right.name; });
  auto next = tools.cbegin();
  if (!cursor.empty()) {
    if (cursor.compare(0, kCursorPrefix.size(), kCursorPrefix) != 0) return std::nullopt;
    const std::string last = cursor.substr(kCursorPrefix.size());
    next = std::find_if(tools.cbegin(), tools.cend(),
                        [&last](const ToolInfo& tool) { return tool.name == last; });
    if (next == tools.cend()) return std::nullopt;
    ++next;
  }
  ToolPage page;
  const bool load = is_small(tools, limits.small);
  std::size_t bytes = 0;
  for (; next != tools.cend(); ++next) {
    bytes += next->description.size() + next->input_schema.size() + next->output_schema.size();
    const bool full = page.tools.size() >= limits.tools || bytes > limits.bytes;
    if (full && !page.tools.empty()) {
      page.next_cursor = std::string(kCursorPrefix) + std::prev(next)->name;
      break;
    }
    Json described = describe_tool(*next, structured);
    add_hints_for_search(*next, load, &described);
    page.tools.push_back(std::move(described));
  }
  return page;
}

std::string usage_instructions(const std::vector<ToolInfo>& tools) {
  std::string text;
  if (has(tools, "bg_start")) {
    text +=
        "Start servers, builds, tests and anything else that takes more than a moment with "
        "bg_start: it "
        "returns at once with an id.";
    if (has(tools, "wait_for")) {
      text +=
          " Then wait_for what you need (a port, a line of output, the exit) instead of asking "
          "again and "
          "again; it also fails at once when that can no longer happen.";
    }
    if (has(tools, "bg_output")) {
      text += " bg_output returns what is new since the last time it was called.";
    }
    if (has(tools, "bg_kill")) {
      text += " bg_kill ends a process and everything that it started.";
    }
    text += " Every process ends with this server.\n";
  }
  text +=
      "The tools are scripts that may change while the server runs; it announces changes to the "
      "tool list. "
      "A call that policy refuses returns an error that says why and what would allow it.";
  return text;
}

}  // namespace gibbous::mcp
