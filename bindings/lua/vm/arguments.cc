// Checks size and depth before the parser sees the text.
#include "bindings/lua/vm/arguments.h"

namespace gibbous::lua {
namespace {

Status invalid(const std::string& message) {
  return Status::error("invalid_arguments", "the arguments " + message);
}

}  // namespace

Result<Json> parse_arguments(const std::string& text, std::size_t max_bytes) {
  if (text.empty()) return Json::object();
  if (text.size() > max_bytes) {
    return invalid("are " + std::to_string(text.size()) + " bytes long, more than the limit of " +
                   std::to_string(max_bytes));
  }
  if (nests_deeper(text, std::size_t{kMaxArgumentDepth})) {
    return invalid("are nested deeper than " + std::to_string(kMaxArgumentDepth) + " levels");
  }
  Json parsed;
  try {
    parsed = Json::parse(text);
  } catch (const Json::exception& exception) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ...": the library's own
    // error number is of no use to a caller.
    const std::string what = exception.what();
    const std::size_t prefix = what.find("] ");
    return invalid("are not valid JSON: " +
                   (prefix == std::string::npos ? what : what.substr(prefix + 2)));
  }
  if (parsed.is_null()) return Json::object();
  if (!parsed.is_object()) {
    return invalid(std::string("must be a JSON object, not ") + parsed.type_name());
  }
  return parsed;
}

}  // namespace gibbous::lua
