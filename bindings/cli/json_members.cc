// The members of a JSON object as pieces of its text.
#include "bindings/cli/json_members.h"

#include <algorithm>
#include <utility>

#include "bindings/json/json.h"

namespace gibbous::cli {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Walks over JSON text that is known to be valid.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void step() { ++at_; }

  // The value that starts here, without the spaces around it.
  std::string_view value() {
    const std::size_t from = at_;
    std::size_t open = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++open;
      if (c == '}' || c == ']') --open;
      step();
    } while (at_ < text_.size() && (open > 0 || !ends_scalar(from)));
    return text_.substr(from, at_ - from);
  }

 private:
  // A string, object or array ends with its last character; a number or a word before the next
  // mark.
  bool ends_scalar(std::size_t from) const {
    const char first = text_[from];
    if (first == '"' || first == '{' || first == '[') return true;
    const char c = peek();
    return is_space(c) || c == ',' || c == '}' || c == ']';
  }
  void skip_string() {
    step();
    while (peek() != '"') at_ += peek() == '\\' ? 2U : 1U;
    step();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Before the parser sees it: brackets outside strings, which need no valid JSON to be counted.
bool is_deeper_than(std::string_view text, std::size_t max_depth) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// The parser's own words, without its "[json.exception...]" in front.
std::string parse_complaint(std::string_view text) {
  try {
    [[maybe_unused]] const Json never = Json::parse(text);
  } catch (const Json::exception& exception) {
    const std::string what = exception.what();
    const std::size_t end_of_tag = what.find("] ");
    return end_of_tag == std::string::npos ? what : what.substr(end_of_tag + 2);
  }
  return "";
}

}  // namespace

Result<std::vector<JsonMember>> json_members(std::string_view object, std::size_t max_depth) {
  if (is_deeper_than(object, max_depth)) {
    return Status::error("invalid_request",
                         "nested deeper than " + std::to_string(max_depth) + " levels");
  }
  if (!Json::accept(object)) {
    return Status::error("invalid_request", "not valid JSON: " + parse_complaint(object));
  }
  Walker walker(object);
  walker.skip_spaces();
  if (walker.peek() != '{') {
    return Status::error("invalid_request",
                         std::string("expected a JSON object, not ") + json_kind(object));
  }
  std::vector<JsonMember> members;
  walker.step();
  for (walker.skip_spaces(); walker.peek() != '}'; walker.skip_spaces()) {
    if (walker.peek() == ',') walker.step();
    walker.skip_spaces();
    std::string key = json_unquote(walker.value());
    walker.skip_spaces();
    walker.step();  // the colon
    walker.skip_spaces();
    const std::string_view value = walker.value();
    const bool known = std::any_of(members.begin(), members.end(),
                                   [&key](const JsonMember& member) { return member.key == key; });
    if (known) return Status::error("invalid_request", "\"" + key + "\" is there twice");
    members.push_back({std::move(key), value});
  }
  return members;
}

const char* json_kind(std::string_view value) {
  const std::size_t start = value.find_first_not_of(" \t\r\n");
  switch (start == std::string_view::npos ? '\0' : value[start]) {
    case '{':
      return "an object";
    case '[':
      return "an array";
    case '"':
      return "a string";
    case 't':
    case 'f':
      return "a boolean";
    case 'n':
      return "null";
    default:
      return "a number";
  }
}

std::string json_unquote(std::string_view value) {
  const bool plain = value.find('\\') == std::string_view::npos;
  if (plain) return std::string(value.substr(1, value.size() - 2));
  return Json::parse(value).get<std::string>();
}

std::string json_quote(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gibbous::cli
