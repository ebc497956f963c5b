// tools/list: the tools as MCP describes them, sorted by name and divided into pages. The cursor is
// the last name of the previous page, so it survives a reload. Used by the server. Stateless; any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bindings/mcp/json.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

struct PageLimits {
  // Many clients read only the first page, so there is one page unless there are very many tools.
  std::size_t tools = 1000;
  std::size_t bytes = std::size_t{4} * 1024 * 1024;
  // Descriptions and input schemas of a list that a model may as well have from the beginning.
  std::size_t small = 8'000;
};

struct ToolPage {
  Json tools = Json::array();
  std::string next_cursor;  // empty on the last page
};

// Returns nothing when the cursor is invalid. `structured`: all tools are described with their
// data. In `_meta` they tell Claude Code, which otherwise shows a model nothing but names, to load
// them at once where the list is small, and by what else than name and description to find them
// where it is not.
std::optional<ToolPage> tool_page(std::vector<ToolInfo> tools, const std::string& cursor,
                                  const PageLimits& limits, bool structured);

// `structured`: with the schema of its data, which every result must then have.
Json describe_tool(const ToolInfo& tool, bool structured);

// Tells a model how to use the tools together.
std::string usage_instructions(const std::vector<ToolInfo>& tools);

}  // namespace gibbous::mcp
