// One pass of the library's parser, which reports each token and builds no value.
#include "bindings/cli/json_members.h"

#include <algorithm>
#include <utility>

#include "bindings/json/text.h"

namespace gibbous::cli {
namespace {

// Writes each value of the outermost object as text. A handler that returns false ends the parse.
class MemberReader final : public Json::json_sax_t {
 public:
  explicit MemberReader(std::size_t max_depth) : max_depth_(max_depth) {}

  Result<std::vector<JsonMember>> read(std::string_view text) {
    const bool whole = Json::sax_parse(text, this);
    if (!failure_) return failure_;
    if (whole && !is_object_) {
      return invalid_request(std::string("expected a JSON object, not ") + json_kind(text_));
    }
    return std::move(members_);
  }

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(Json::number_integer_t value) override {
    return scalar(value == 0 ? "-0" : std::to_string(value));  // 0 is unsigned
  }
  bool number_unsigned(Json::number_unsigned_t value) override {
    return scalar(std::to_string(value));
  }
  bool number_float(Json::number_float_t, const std::string& written) override {
    return scalar(written);
  }
  bool string(std::string& value) override { return scalar(json_quote(value)); }
  bool binary(Json::binary_t&) override { return false; }  // JSON text holds none
  bool start_object(std::size_t) override { return open('{'); }
  bool end_object() override { return close('}'); }
  bool start_array(std::size_t) override { return open('['); }
  bool end_array() override { return close(']'); }

  bool key(std::string& value) override {
    if (is_object_ && depth_ == 1) {
      key_ = value;
    } else {
      separate();
      text_ += json_quote(value) + ":";
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& exception) override {
    const std::string what = exception.what();  // begins with "[json.exception...] "
    const std::size_t end_of_tag = what.find("] ");
    failure_ = invalid_request("not valid JSON: " + what.substr(end_of_tag + 2));
    return false;
  }

 private:
  void separate() {
    if (!text_.empty() && std::string_view("{[:").find(text_.back()) == std::string_view::npos) {
      text_ += ',';
    }
  }

  bool scalar(const std::string& text) {
    separate();
    text_ += text;
    return end_value();
  }

  bool open(char bracket) {
    if (depth_ == max_depth_) {
      failure_ = invalid_request("nested deeper than " + std::to_string(max_depth_) + " levels");
      return false;
    }
    if (depth_++ == 0 && bracket == '{') {
      is_object_ = true;
    } else {
      separate();
      text_ += bracket;
    }
    return true;
  }

  bool close(char bracket) {
    if (--depth_ == 0 && is_object_) return true;
    text_ += bracket;
    return end_value();
  }

  bool end_value() {
    if (!is_object_ || depth_ != 1) return true;
    const bool known = std::any_of(members_.begin(), members_.end(),
                                   [this](const JsonMember& member) { return member.key == key_; });
    if (known) {
      failure_ = invalid_request("\"" + key_ + "\" appears twice");
      return false;
    }
    members_.push_back({std::move(key_), std::exchange(text_, {})});
    return true;
  }

  const std::size_t max_depth_;
  std::size_t depth_ = 0;
  bool is_object_ = false;  // whether the outermost value is one
  std::string key_;
  std::string text_;  // the value that is being read
  std::vector<JsonMember> members_;
  Status failure_;
};

}  // namespace

Status invalid_request(std::string message) {
  return Status::error("invalid_request", std::move(message));
}

Result<std::vector<JsonMember>> json_members(std::string_view object, std::size_t max_depth) {
  return MemberReader(max_depth).read(object);
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

std::string json_quote(std::string_view text) {
  return to_text(Json(text));
}

std::string json_unquote(std::string_view value) {
  return Json::parse(value).get<std::string>();
}

}  // namespace gibbous::cli
