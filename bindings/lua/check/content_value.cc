#include "bindings/lua/check/content_value.h"

#include <array>
#include <lua.hpp>
#include <map>
#include <utility>

#include "bindings/json/base64.h"
#include "bindings/json/member.h"
#include "bindings/lua/check/definition.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxNameBytes = 1000;
constexpr const char* kBlockTypes =
    "\"text\", \"image\", \"audio\", \"resource\" or \"resource_link\"";

// A field of a block: its name in scripts, and MCP's.
using Name = std::pair<const char*, const char*>;
constexpr std::array<Name, 7> kNames = {{{"uri", "uri"},
                                         {"name", "name"},
                                         {"title", "title"},
                                         {"description", "description"},
                                         {"mime_type", "mimeType"},
                                         {"size", "size"},
                                         {"text", "text"}}};

Status fault(const std::string& place, const std::string& problem) {
  return Status::error("script_error", place + ": " + problem);
}

// By type.
const DefinitionShape* shape_of(const std::string& type) {
  const Json text = {{"type", "string"}};
  const Json name = {{"type", "string"}, {"minLength", 1}, {"maxLength", kMaxNameBytes}};
  const Json label = {{"type", "string"}, {"maxLength", kMaxNameBytes}};
  const Json annotations = annotations_shape();
  const Json mime = mime_type_shape();
  static const DefinitionShape text_shape(
      {{"type", text}, {"text", text}, {"annotations", annotations}}, {"text"}, {});
  static const DefinitionShape media_shape(
      {{"type", text}, {"mime_type", mime}, {"annotations", annotations}}, {"mime_type"},
      {"data", "base64"});
  static const DefinitionShape resource_shape({{"type", text},
                                               {"uri", uri_shape()},
                                               {"mime_type", mime},
                                               {"text", text},
                                               {"annotations", annotations}},
                                              {"uri"}, {"data", "base64"});
  static const DefinitionShape link_shape({{"type", text},
                                           {"uri", uri_shape()},
                                           {"name", name},
                                           {"title", label},
                                           {"description", label},
                                           {"mime_type", mime},
                                           {"size", {{"type", "integer"}, {"minimum", 0}}},
                                           {"annotations", annotations}},
                                          {"uri", "name"}, {});
  static const std::map<std::string, const DefinitionShape*> shapes = {
      {"text", &text_shape},
      {"image", &media_shape},
      {"audio", &media_shape},
      {"resource", &resource_shape},
      {"resource_link", &link_shape}};
  const auto found = shapes.find(type);
  return found == shapes.end() ? nullptr : found->second;
}

// Returns the fields of `kNames` that are there, under MCP's names.
Json renamed(const Json& fields) {
  Json made = Json::object();
  for (const auto& [ours, theirs] : kNames) {
    const auto found = fields.find(ours);
    if (found != fields.end() && !found->is_null()) made[theirs] = *found;
  }
  return made;
}

Json text_block(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

// [.., block]
Result<Json> read_table(lua_State* state, const std::string& place) {
  const std::string type = peek_name(state, "type");
  const DefinitionShape* shape = shape_of(type);
  if (shape == nullptr) {
    return fault(place + ".type", std::string("expected ") + kBlockTypes +
                                      (type.empty() ? "" : ", got \"" + type + "\""));
  }
  Result<Json> read = shape->read(state);
  if (!read) return Status::error("script_error", place + "." + read.status().message());
  Json fields = std::move(*read);
  Json block = {{"type", type}};
  const bool is_media = type == "image" || type == "audio";
  if (is_media || type == "resource") {
    Result<std::string> binary = read_binary(state, -1, place);
    if (!binary) return binary.status();
    const bool has_text = fields.contains("text");
    if (is_media && binary->empty()) return fault(place, "expected data (bytes) or base64");
    if (type == "resource" && has_text != binary->empty()) {
      return fault(place, "expected one of text, data (bytes) and base64");
    }
    Json made = renamed(fields);
    if (!binary->empty()) made[is_media ? "data" : "blob"] = std::move(*binary);
    if (is_media) {
      block.update(made);
    } else {
      block["resource"] = std::move(made);
    }
  } else {
    block.update(renamed(fields));
  }
  if (fields.contains("annotations")) {
    block["annotations"] = mcp_annotations(fields["annotations"]);
  }
  return block;
}

// `fix` says what to do about too much.
Result<Json> within_limit(Json blocks, const std::string& place, const char* fix) {
  const std::size_t bytes = content_bytes(blocks);
  if (bytes <= kMaxContentBytes) return blocks;
  return fault(place, "expected at most " + std::to_string(kMaxContentBytes) +
                          " bytes of text and base64 in all, got " + std::to_string(bytes) + "; " +
                          fix);
}

// "image/png, 1234 bytes"
std::string binary_text(const Json& holder, const std::string& base64) {
  const std::string mime = text_member(holder, "mimeType");
  return (mime.empty() ? "" : mime + ", ") + std::to_string(base64_size(base64)) + " bytes";
}

std::string block_text(const Json& block) {
  const std::string type = text_member(block, "type");
  if (type == "text") return text_member(block, "text");
  if (type == "resource_link") {
    const std::string title = text_member(block, "title");
    return "[resource " + text_member(block, "uri") + ": " +
           (title.empty() ? text_member(block, "name") : title) + "]";
  }
  if (type == "resource") {
    const Json& resource = block["resource"];
    const std::string head = "[resource " + text_member(resource, "uri");
    const std::string* blob = find_text(resource, "blob");
    if (blob != nullptr) return head + ": " + binary_text(resource, *blob) + "]";
    return head + "]\n" + text_member(resource, "text");
  }
  return "[" + type + ": " + binary_text(block, text_member(block, "data")) + "]";
}

}  // namespace

Json annotations_shape() {
  return {{"type", "object"},
          {"properties",
           {{"audience",
             {{"type", "array"},
              {"items", {{"type", "string"}, {"enum", {"user", "assistant"}}}},
              {"minItems", 1},
              {"uniqueItems", true}}},
            {"priority", {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}},
            {"last_modified",
             {{"type", "string"},
              {"pattern", R"(^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$)"},
              {"description", "a time such as 2026-01-12T15:00:58Z"}}}}},
          {"additionalProperties", false}};
}

Json mime_type_shape() {
  return {{"type", "string"},
          {"pattern", R"(^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)"
                      R"((\s*;[\x20-\x7e]*)?$)"},
          {"maxLength", kMaxNameBytes},
          {"description", "a type such as image/png"}};
}

Json uri_shape() {
  return {{"type", "string"},
          {"pattern", R"(^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$)"},
          {"maxLength", kMaxUriBytes},
          {"description", "a URI such as notes://today, other characters as %XX"}};
}

Json mcp_annotations(const Json& annotations) {
  Json made = annotations;
  const auto modified = made.find("last_modified");
  if (modified == made.end()) return made;
  made["lastModified"] = *modified;
  made.erase("last_modified");
  return made;
}

Result<std::string> read_binary(lua_State* state, int index, const std::string& place) {
  lua_getfield(state, index, "data");
  lua_getfield(state, index < 0 ? index - 1 : index, "base64");  // [.., data, base64]
  Result<std::string> made = std::string();
  const bool has_data = !lua_isnil(state, -2);
  const bool has_text = !lua_isnil(state, -1);
  if (has_data && has_text) {
    made = fault(place, "expected data or base64, not both");
  } else if (has_data && lua_type(state, -2) != LUA_TSTRING) {
    made = fault(place + ".data",
                 std::string("expected a string of bytes, got a ") + luaL_typename(state, -2));
  } else if (has_text && lua_type(state, -1) != LUA_TSTRING) {
    made = fault(place + ".base64",
                 std::string("expected a string, got a ") + luaL_typename(state, -1));
  } else if (has_data) {
    const std::string_view bytes = text_at(state, -2);
    made = bytes.empty() ? Result<std::string>(fault(place + ".data", "expected bytes, got none"))
                         : base64(bytes);
  } else if (has_text) {
    const std::string_view text = text_at(state, -1);
    made = text.empty() || !is_base64(text)
               ? Result<std::string>(fault(place + ".base64",
                                           "expected base64 with padding and without line "
                                           "breaks; data takes the bytes themselves"))
               : std::string(text);
  }
  lua_pop(state, 2);
  return made;
}

Result<Json> read_block(lua_State* state, int index, const std::string& place) {
  if (lua_type(state, index) == LUA_TSTRING) {
    return text_block(to_json(state, index).get<std::string>());
  }
  if (!lua_istable(state, index)) {
    return fault(place, std::string("expected a string or a table { type = ... }, got a ") +
                            luaL_typename(state, index));
  }
  lua_pushvalue(state, index);
  Result<Json> made = read_table(state, place);
  lua_pop(state, 1);
  return made;
}

Result<Json> read_content(lua_State* state, int index, const std::string& place) {
  lua_pushvalue(state, index);  // [.., list]
  Result<Json> made = Json::array();
  const Result<std::size_t> count = list_size(state, "blocks", kMaxContentBlocks);
  if (!count) made = Status::error("script_error", place + ": " + count.status().message());
  for (std::size_t i = 1; made && i <= *count; ++i) {
    lua_rawgeti(state, -1, static_cast<int>(i));
    Result<Json> block =
        read_block(state, lua_gettop(state), place + "[" + std::to_string(i) + "]");
    lua_pop(state, 1);
    if (!block) {
      made = block.status();
    } else if ((*block)["type"] != "text" ||
               !(*block)["text"].get_ref<const std::string&>().empty()) {
      made->push_back(std::move(*block));
    }
  }
  lua_pop(state, 1);
  if (!made) return made;
  return within_limit(std::move(*made), place, "give a resource_link, or a smaller part");
}

namespace {

// [.., contents]
Result<Json> read_one(lua_State* state, const std::string& place, const std::string& uri,
                      const std::string& mime_type) {
  static const DefinitionShape shape(
      {{"uri", uri_shape()}, {"mime_type", mime_type_shape()}, {"text", {{"type", "string"}}}}, {},
      {"data", "base64"});
  Json made = {{"uri", uri}};
  if (!mime_type.empty()) made["mimeType"] = mime_type;
  if (lua_type(state, -1) == LUA_TSTRING) {
    made["text"] = to_json(state, -1);
    return made;
  }
  if (!lua_istable(state, -1)) {
    return fault(place, std::string("expected a string, { text = ... } or { data = ... }, got a ") +
                            luaL_typename(state, -1));
  }
  const Result<Json> fields = shape.read(state);
  if (!fields) return Status::error("script_error", place + "." + fields.status().message());
  Result<std::string> binary = read_binary(state, -1, place);
  if (!binary) return binary.status();
  if (fields->contains("text") != binary->empty()) {
    return fault(place, "expected one of text, data (bytes) and base64");
  }
  made.update(renamed(*fields));
  if (!binary->empty()) made["blob"] = std::move(*binary);
  return made;
}

}  // namespace

Result<Json> read_contents(lua_State* state, int index, const std::string& uri,
                           const std::string& mime_type) {
  const std::string place = "contents";
  lua_pushvalue(state, index);  // [.., value]
  Result<Json> made = Json::array();
  if (!lua_istable(state, -1) || lua_objlen(state, -1) == 0) {
    Result<Json> one = read_one(state, place, uri, mime_type);
    made = one ? Result<Json>(Json::array({std::move(*one)})) : one;
  } else {
    const Result<std::size_t> count = list_size(state, "contents", kMaxContentBlocks);
    if (!count) made = Status::error("script_error", place + ": " + count.status().message());
    for (std::size_t i = 1; made && i <= *count; ++i) {
      lua_rawgeti(state, -1, static_cast<int>(i));
      Result<Json> one = read_one(state, place + "[" + std::to_string(i) + "]", uri, mime_type);
      lua_pop(state, 1);
      if (one) {
        made->push_back(std::move(*one));
      } else {
        made = one.status();
      }
    }
  }
  lua_pop(state, 1);
  return made ? within_limit(std::move(*made), place, "read a smaller part") : made;
}

std::string contents_text(const Json& contents) {
  if (contents.size() == 1 && contents[0].contains("text")) {
    return text_member(contents[0], "text");
  }
  Json blocks = Json::array();
  for (const Json& each : contents) blocks.push_back({{"type", "resource"}, {"resource", each}});
  return content_text(blocks);
}

Json script_content(const Json& blocks) {
  Json made = Json::array();
  for (const Json& block : blocks) {
    Json fields = block;
    if (block.contains("resource")) {
      fields.erase("resource");
      fields.update(block["resource"]);
    }
    for (const auto& [theirs, ours] :
         {Name{"mimeType", "mime_type"}, Name{"data", "base64"}, Name{"blob", "base64"}}) {
      const auto found = fields.find(theirs);
      if (found == fields.end()) continue;
      fields[ours] = *found;
      fields.erase(theirs);
    }
    const auto annotations = fields.find("annotations");
    if (annotations != fields.end() && annotations->contains("lastModified")) {
      (*annotations)["last_modified"] = (*annotations)["lastModified"];
      annotations->erase("lastModified");
    }
    made.push_back(std::move(fields));
  }
  return made;
}

std::string content_text(const Json& blocks) {
  std::string text;
  for (const Json& block : blocks) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += block_text(block);
  }
  return text;
}

std::size_t content_bytes(const Json& blocks) {
  std::size_t bytes = 0;
  for (const Json& block : blocks) {
    const Json& holder = block.contains("resource") ? block["resource"] : block;
    for (const char* name : {"text", "data", "blob"}) {
      const std::string* held = find_text(holder, name);
      if (held != nullptr) bytes += held->size();
    }
  }
  return bytes;
}

}  // namespace gibbous::lua
