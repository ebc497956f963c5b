// UriTemplate: a template of URIs (RFC 6570) such as notes://{day}/{+path}, for resources that a
// script makes on demand. `{name}` stands for text up to the next `/`, `?` or `#`, and `{+name}`
// for any text; both are at least one character. Immutable; any thread.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

inline constexpr std::size_t kMaxTemplateVariables = 8;

// Replaces %XX; anything else stays. The result is valid UTF-8.
std::string percent_decoded(const std::string& text);

class UriTemplate {
 public:
  // Fails with script_error for anything but a scheme, literal text and these two expressions.
  static Result<std::shared_ptr<const UriTemplate>> compile(const std::string& text);

  const std::vector<std::string>& variables() const { return variables_; }
  // Returns the values of the variables by name, without %XX, or nothing when the URI is another.
  std::optional<Json> match(const std::string& uri) const;

 private:
  UriTemplate(const std::string& pattern, std::vector<std::string> variables);

  re2::RE2 pattern_;
  std::vector<std::string> variables_;
};

}  // namespace gibbous::lua
