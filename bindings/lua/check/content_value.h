// The content of results and messages: blocks of text, image, audio, embedded resource and link, as
// scripts write them (ContentBlock in scripts/meta/tool.lua) and as MCP has them. In a protected
// call. Loop thread only.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr std::size_t kMaxContentBlocks = 64;
// The limit for all text and binary data of one content, the latter as base64.
inline constexpr std::size_t kMaxContentBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxUriBytes = std::size_t{8} << 10;

// Reads the list of blocks at `index` into a JSON array of MCP's ContentBlock. An empty text is
// left out. Otherwise says what is wrong with which field: "content[2].mime_type: is missing; ...",
// where `place` is "content".
Result<Json> read_content(lua_State* state, int index, const std::string& place);
// Reads one block: a string or a table.
Result<Json> read_block(lua_State* state, int index, const std::string& place);

// Reads what the table at `index` has besides text: `data`, which is bytes, or `base64`. Returns
// base64; "" when there is neither.
Result<std::string> read_binary(lua_State* state, int index, const std::string& place);

// Reads what the function of a resource returned, at `index`, into a JSON array of MCP's resource
// contents: a text; { text | data | base64, uri?, mime_type? }; or a list of such tables. The URI
// and the MIME type ("": none) are those of the resource.
Result<Json> read_contents(lua_State* state, int index, const std::string& uri,
                           const std::string& mime_type);

// Returns MCP's blocks as a script writes them.
Json script_content(const Json& blocks);
// Returns the text of blocks for readers of text alone: what else there is, in brackets.
std::string content_text(const Json& blocks);
// Returns how many bytes of text and base64 the blocks hold.
std::size_t content_bytes(const Json& blocks);

// Returns the text of resource contents, as content_text() does.
std::string contents_text(const Json& contents);

// The schema of `annotations`, of a MIME type, and of a URI.
Json annotations_shape();
Json mime_type_shape();
Json uri_shape();
// Returns annotations in MCP's names.
Json mcp_annotations(const Json& annotations);

}  // namespace gibbous::lua
