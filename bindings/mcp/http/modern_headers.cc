// See modern_headers.h.
#include "bindings/mcp/http/modern_headers.h"

#include <cstdint>

#include "bindings/json/member.h"

namespace gibbous::mcp::http {
namespace {

constexpr std::string_view kVersionField = "mcp-protocol-version";
constexpr std::string_view kMethodField = "mcp-method";
constexpr std::string_view kNameField = "mcp-name";

struct Named {
  std::string_view method;
  const char* param;
};
// Methods whose header Mcp-Name repeats a parameter.
constexpr Named kNamed[] = {
    {"tools/call", "name"},  {"prompts/get", "name"},    {"resources/read", "uri"},
    {"tasks/get", "taskId"}, {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"},
};

Fault mismatch(const std::string& message) {
  return Fault{kHeaderMismatch, message, nullptr};
}

std::optional<Fault> compare(const RequestHead& head, std::string_view field, const char* shown,
                             std::string_view expected) {
  const std::string* given = head.field(field);
  if (given == nullptr) {
    return mismatch(std::string("The header ") + shown + " is required once");
  }
  const std::optional<std::string> decoded = decode_header(*given);
  if (!decoded || *decoded != expected) {
    return mismatch(std::string("The header ") + shown + " differs from the body");
  }
  return std::nullopt;
}

int digit_of(char letter) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t found = kDigits.find(letter);
  return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

}  // namespace

std::optional<std::string> decode_header(std::string_view text) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (text.size() < kBegin.size() + kEnd.size() || text.substr(0, kBegin.size()) != kBegin ||
      text.substr(text.size() - kEnd.size()) != kEnd) {
    return std::string(text);
  }
  std::string_view digits = text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
  constexpr std::size_t kGroup = 4;
  constexpr unsigned kBitsOfDigit = 6;
  constexpr unsigned kBitsOfByte = 8;
  if (digits.size() % kGroup != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && !digits.empty() && digits.back() == '='; ++padding) {
    digits.remove_suffix(1);
  }
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char letter : digits) {
    const int digit = digit_of(letter);
    if (digit < 0) return std::nullopt;
    bits = bits << kBitsOfDigit | static_cast<std::uint32_t>(digit);
    held += kBitsOfDigit;
    if (held < kBitsOfByte) continue;
    held -= kBitsOfByte;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  return bytes;
}

std::optional<Fault> compare_version(const RequestHead& head, const Json& version) {
  // A version that is no text is refused as what it is.
  if (!version.is_string()) return std::nullopt;
  return compare(head, kVersionField, "MCP-Protocol-Version",
                 version.get_ref<const std::string&>());
}

std::optional<Fault> compare_names(const RequestHead& head, const Request& request) {
  if (auto fault = compare(head, kMethodField, "Mcp-Method", request.method)) return fault;
  for (const Named& named : kNamed) {
    if (named.method != request.method) continue;
    const std::string* name = find_text(request.params, named.param);
    // Without a name the request itself is wrong, which is more useful to know.
    if (name == nullptr) return std::nullopt;
    return compare(head, kNameField, "Mcp-Name", *name);
  }
  return std::nullopt;
}

}  // namespace gibbous::mcp::http
