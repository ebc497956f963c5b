#include "bindings/lua/check/uri_template.h"

#include <algorithm>
#include <utility>

#include "bindings/lua/check/content_value.h"
#include "runtime/output/text.h"

namespace gibbous::lua {
namespace {

Status template_fault(const std::string& problem) {
  return Status::error("script_error", problem);
}

// Bytes that no URI has.
re2::RE2::Options byte_options() {
  re2::RE2::Options made(re2::RE2::Latin1);
  made.set_log_errors(false);
  made.set_dot_nl(true);
  return made;
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

bool is_name(const std::string& text) {
  static const re2::RE2 kName("[A-Za-z_][A-Za-z0-9_]{0,63}");
  return re2::RE2::FullMatch(text, kName);
}

}  // namespace

std::string percent_decoded(const std::string& text) {
  constexpr int kHex = 16;
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool coded = text[at] == '%' && at + 2 < text.size() && hex_digit(text[at + 1]) >= 0 &&
                       hex_digit(text[at + 2]) >= 0;
    if (!coded) {
      made += text[at];
      continue;
    }
    made += static_cast<char>(hex_digit(text[at + 1]) * kHex + hex_digit(text[at + 2]));
    at += 2;
  }
  return to_utf8(made);
}

UriTemplate::UriTemplate(const std::string& pattern, std::vector<std::string> variables)
    : pattern_(pattern, byte_options()), variables_(std::move(variables)) {}

Result<std::shared_ptr<const UriTemplate>> UriTemplate::compile(const std::string& text) {
  static const re2::RE2 kScheme(R"([A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+)");
  if (text.size() > kMaxUriBytes || !re2::RE2::FullMatch(text, kScheme)) {
    return template_fault(
        "expected a template such as notes://{day}, which begins with a scheme, got \"" +
        text.substr(0, 100) + "\"");
  }
  std::string pattern;
  std::vector<std::string> variables;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '}') return template_fault("\"}\" without \"{\"");
    if (text[at] != '{') {
      const std::size_t end = std::min(text.find_first_of("{}", at), text.size());
      pattern += re2::RE2::QuoteMeta(text.substr(at, end - at));
      at = end;
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) return template_fault("\"{\" without \"}\"");
    std::string name = text.substr(at + 1, end - at - 1);
    const bool any = !name.empty() && name.front() == '+';
    if (any) name.erase(0, 1);
    if (!is_name(name)) {
      return template_fault("expected {name} or {+name}, got \"" + text.substr(at, end - at + 1) +
                            "\"");
    }
    if (std::find(variables.begin(), variables.end(), name) != variables.end()) {
      return template_fault("the variable \"" + name + "\" is there twice");
    }
    pattern += any ? "(.+)" : "([^/?#]+)";
    variables.push_back(std::move(name));
    at = end + 1;
  }
  if (variables.empty())
    return template_fault("it has no variable such as {id}; write uri instead");
  if (variables.size() > kMaxTemplateVariables) {
    return template_fault("expected at most " + std::to_string(kMaxTemplateVariables) +
                          " variables");
  }
  const std::size_t scheme = text.find(':');
  if (text.find('{') < scheme) return template_fault("its scheme must be a literal text");
  std::shared_ptr<const UriTemplate> made(new UriTemplate(pattern, std::move(variables)));
  if (!made->pattern_.ok()) return template_fault(made->pattern_.error());
  return made;
}

std::optional<Json> UriTemplate::match(const std::string& uri) const {
  if (uri.size() > kMaxUriBytes) return std::nullopt;
  std::vector<std::string> values(variables_.size());
  std::vector<re2::RE2::Arg> held(values.size());
  std::vector<const re2::RE2::Arg*> arguments(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    held[i] = &values[i];
    arguments[i] = &held[i];
  }
  if (!re2::RE2::FullMatchN(uri, pattern_, arguments.data(), static_cast<int>(arguments.size()))) {
    return std::nullopt;
  }
  Json made = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) made[variables_[i]] = percent_decoded(values[i]);
  return made;
}

}  // namespace gibbous::lua
