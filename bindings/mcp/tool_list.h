// tools/list: tools as MCP describes them, in the order of their names, cut into pages. The cursor
// is the name that the last page ended with, so it stays good over a reload as long as that tool
// exists. Used by the server. No state; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bindings/mcp/json.h"
#include "gibbous/runtime.h"

namespace gibbous::mcp {

struct PageLimits {
  // Many clients read only the first page, so there is one page unless somebody has very many
  // tools.
  std::size_t tools = 1000;
  std::size_t bytes = std::size_t{4} * 1024 * 1024;
};

struct ToolPage {
  Json tools = Json::array();
  std::string next_cursor;  // empty on the last page
};

// Nothing when the cursor is none of ours.
std::optional<ToolPage> tool_page(std::vector<ToolInfo> tools, const std::string& cursor,
                                  const PageLimits& limits);

Json describe_tool(const ToolInfo& tool);

// What a model should know before it uses these tools together.
std::string usage_instructions(const std::vector<ToolInfo>& tools);

}  // namespace gibbous::mcp
