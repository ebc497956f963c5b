// What scripts offer besides tools, as MCP lists it.
#include "bindings/json/json.h"
#include "bindings/json/text.h"
#include "gibbous/runtime.h"

namespace gibbous {
namespace {

void add_text(const char* name, const std::string& text, Json* described) {
  if (!text.empty()) (*described)[name] = text;
}

}  // namespace

std::string resource_json(const ResourceInfo& info) {
  Json described{{info.is_template ? "uriTemplate" : "uri", info.uri}, {"name", info.name}};
  add_text("title", info.title, &described);
  add_text("description", info.description, &described);
  add_text("mimeType", info.mime_type, &described);
  if (info.size && !info.is_template) described["size"] = *info.size;
  const Json annotations = Json::parse(info.annotations, nullptr, /*allow_exceptions=*/false);
  if (annotations.is_object()) described["annotations"] = annotations;
  return to_text(described);
}

std::string prompt_json(const PromptInfo& info) {
  Json described{{"name", info.name}};
  add_text("title", info.title, &described);
  add_text("description", info.description, &described);
  const Json arguments = Json::parse(info.arguments, nullptr, /*allow_exceptions=*/false);
  if (arguments.is_array() && !arguments.empty()) described["arguments"] = arguments;
  return to_text(described);
}

}  // namespace gibbous
