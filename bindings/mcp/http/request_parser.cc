// See request_parser.h. Before the library sees a head, it is split into lines here: bare line
// ends, folded lines, and names that are no names are refused whatever the library thinks of them.
#include "bindings/mcp/http/request_parser.h"

#include <http_parser.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace gibbous::mcp::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

char small(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
    const char low = small(letter);
    return (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') ||
           kTokenMarks.find(low) != std::string_view::npos;
  });
}

// Visible characters, spaces, tabs, and bytes above ASCII.
bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
  });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

struct RequestParser::Library {
  http_parser parser{};
};

struct RequestParser::Callbacks {
  static int on_url(http_parser* parser, const char* at, std::size_t length) noexcept {
    static_cast<RequestParser*>(parser->data)->head_.target.append(at, length);
    return 0;
  }
  static int on_headers_complete(http_parser* parser) noexcept {
    parser->upgrade = 0;  // nothing to change to, so the field is ignored
    return 0;
  }
  static int on_body(http_parser* parser, const char* at, std::size_t length) noexcept {
    static_cast<RequestParser*>(parser->data)->body_.append(at, length);
    return 0;
  }
  // What follows belongs to the next request.
  static int on_message_complete(http_parser* parser) noexcept {
    static_cast<RequestParser*>(parser->data)->state_ = State::kDone;
    http_parser_pause(parser, 1);
    return 0;
  }
  static const http_parser_settings& settings() {
    static const http_parser_settings all = [] {
      http_parser_settings made;
      http_parser_settings_init(&made);
      made.on_url = on_url;
      made.on_headers_complete = on_headers_complete;
      made.on_body = on_body;
      made.on_message_complete = on_message_complete;
      return made;
    }();
    return all;
  }
};

const std::string* RequestHead::field(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [each, value] : fields) {
    if (each != name) continue;
    if (found != nullptr) return nullptr;
    found = &value;
  }
  return found;
}

std::size_t RequestHead::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; }));
}

RequestParser::RequestParser() = default;
RequestParser::~RequestParser() = default;

void RequestParser::reset() {
  library_.reset();
  state_ = State::kHead;
  head_ = {};
  body_ = {};
  declared_ = 0;
}

HttpStatus RequestParser::read_head(std::string_view head, std::size_t max_fields) {
  reset();
  state_ = State::kFailed;
  const auto lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n'));
  constexpr std::size_t kOtherLines = 2;  // the request line, and the empty one
  if (lines > max_fields + kOtherLines) return kHeadTooLarge;
  if (!take_fields(head, max_fields)) return kBadRequest;
  if (const HttpStatus status = objection(); status != kOk) return status;

  library_ = std::make_unique<Library>();
  http_parser& parser = library_->parser;
  http_parser_init(&parser, HTTP_REQUEST);
  parser.data = this;
  state_ = State::kBody;
  const std::size_t taken =
      http_parser_execute(&parser, &Callbacks::settings(), head.data(), head.size());
  const auto error = static_cast<http_errno>(parser.http_errno);
  const bool paused = error == HPE_PAUSED && state_ == State::kDone;
  if ((error != HPE_OK && !paused) || taken != head.size()) {
    state_ = State::kFailed;
    return kBadRequest;
  }
  constexpr unsigned kMajor = 1;
  constexpr unsigned kMinor = 1;
  if (parser.http_major != kMajor || parser.http_minor != kMinor) {
    state_ = State::kFailed;
    return kVersionNotSupported;
  }
  head_.method = http_method_str(static_cast<http_method>(parser.method));
  head_.keep_alive = http_should_keep_alive(&parser) != 0;
  return kOk;
}

bool RequestParser::take_fields(std::string_view head, std::size_t max_fields) {
  bool is_first = true;
  while (true) {
    const std::size_t end = head.find(kLineEnd);
    if (end == std::string_view::npos) return false;
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + kLineEnd.size());
    if (!is_value(line)) return false;
    if (line.empty()) return !is_first && head.empty();
    if (std::exchange(is_first, false)) {
      // METHOD TARGET VERSION
      constexpr int kSpaces = 2;
      if (std::count(line.begin(), line.end(), ' ') != kSpaces) return false;
    } else {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
      if (head_.fields.size() == max_fields) return false;
      std::string name(line.substr(0, colon));
      std::transform(name.begin(), name.end(), name.begin(), small);
      head_.fields.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
    }
  }
}

// How long the body is must have one meaning.
HttpStatus RequestParser::objection() {
  if (head_.field("host") == nullptr) return kBadRequest;
  const std::size_t codings = head_.count("transfer-encoding");
  const std::size_t lengths = head_.count("content-length");
  if (codings + lengths > 1) return kBadRequest;
  if (codings == 1) {
    std::string coding = *head_.field("transfer-encoding");
    std::transform(coding.begin(), coding.end(), coding.begin(), small);
    if (coding != "chunked") return kNotImplemented;
  }
  if (lengths == 1) {
    const std::string& text = *head_.field("content-length");
    const bool digits =
        std::all_of(text.begin(), text.end(), [](char each) { return each >= '0' && each <= '9'; });
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (!digits || error != std::errc() || end != text.data() + text.size()) return kBadRequest;
    declared_ = static_cast<std::size_t>(bytes);
  }
  return kOk;
}

std::size_t RequestParser::read_body(std::string_view bytes) {
  if (state_ != State::kBody || bytes.empty()) return 0;
  http_parser& parser = library_->parser;
  const std::size_t taken =
      http_parser_execute(&parser, &Callbacks::settings(), bytes.data(), bytes.size());
  const auto error = static_cast<http_errno>(parser.http_errno);
  const bool paused = error == HPE_PAUSED && state_ == State::kDone;
  if (error != HPE_OK && !paused) state_ = State::kFailed;
  return taken;
}

}  // namespace gibbous::mcp::http
