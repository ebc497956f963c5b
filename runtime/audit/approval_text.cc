// A strict reader: the fields in order, each once, numbers without blanks. The keyed checksum shows
// edits, cuts and what somebody else wrote.
#include "runtime/audit/approval_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "runtime/base/random_id.h"
#include "runtime/base/sha256.h"
#include "runtime/base/state_text.h"

namespace gibbous {
namespace {

constexpr std::string_view kMagic = "gibbous-approvals ";
constexpr std::string_view kVersion = "2";
constexpr std::string_view kUnkeyed = "1";
static_assert(kVersion.size() == 1 && kVersion[0] == '0' + kApprovalsVersion);

void put(std::string& line, std::string_view name, std::string_view value) {
  if (!line.empty() && line.back() != '\n') line += '\t';
  line.append(name).append(1, '=');
  append_escaped(line, value);
}

// Takes the fields of a line in order; after the first invalid one, `good` stays false.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string text(std::string_view name) {
    const std::size_t tab = rest_.find('\t');
    std::string_view field = rest_.substr(0, tab);
    rest_ = tab == std::string_view::npos ? std::string_view() : rest_.substr(tab + 1);
    at_end_ = tab == std::string_view::npos;
    if (good_ && field.starts_with(name) && field.size() > name.size() &&
        field[name.size()] == '=') {
      field.remove_prefix(name.size() + 1);
      if (std::optional<std::string> value = unescaped(field)) return std::move(*value);
    }
    fail(name);
    return "";
  }

  template <typename Number>
  Number number(std::string_view name) {
    const std::string digits = text(name);
    Number value{};
    const char* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, value);
    if (digits.empty() || error != std::errc() || stopped != end) fail(name);
    return value;
  }

  void fail(std::string_view name) {
    if (good_) wrong_ = name;
    good_ = false;
  }
  bool good() const { return good_ && at_end_; }
  std::string wrong() const { return wrong_.empty() ? "end of the line" : wrong_; }

 private:
  std::string_view rest_;
  std::string wrong_;
  bool good_ = true;
  bool at_end_ = false;
};

Approval decode_line(Fields& fields) {
  Approval approval;
  approval.id = fields.text("id");
  if (approval.id.size() != kIdChars) fields.fail("id");
  const std::string kind = fields.text("kind");
  if (kind == name_of(ApprovalKind::kRule)) {
    approval.kind = ApprovalKind::kRule;
  } else if (kind == name_of(ApprovalKind::kPrefix)) {
    approval.kind = ApprovalKind::kPrefix;
  } else if (kind != name_of(ApprovalKind::kArgv)) {
    fields.fail("kind");
  }
  approval.mode = fields.text("mode");
  approval.mode_rank = fields.number<int>("rank");
  approval.created = fields.number<std::int64_t>("created");
  approval.expires = fields.number<std::int64_t>("expires");
  approval.policy_hash = fields.text("policy");
  approval.who = fields.text("who");
  approval.workspace = fields.text("workspace");
  approval.subject = fields.text("subject");
  return approval;
}

Status damaged(const std::string& what) {
  return Status::error("approvals_damaged", what);
}

// Returns true when the text can be a version: digits without a leading zero.
bool is_later_version(std::string_view text) {
  constexpr std::size_t kMaxDigits = 9;
  return !text.empty() && text.size() <= kMaxDigits && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string encode_approvals(const std::vector<Approval>& approvals, std::string_view key) {
  std::string body;
  for (const Approval& approval : approvals) {
    put(body, "id", approval.id);
    put(body, "kind", name_of(approval.kind));
    put(body, "mode", approval.mode);
    put(body, "rank", std::to_string(approval.mode_rank));
    put(body, "created", std::to_string(approval.created));
    put(body, "expires", std::to_string(approval.expires));
    put(body, "policy", approval.policy_hash);
    put(body, "who", approval.who);
    put(body, "workspace", approval.workspace);
    put(body, "subject", approval.subject);
    body += '\n';
  }
  return std::string(kMagic) + std::string(kVersion) + " " + hmac_sha256_hex(key, body) + "\n" +
         body;
}

Status check_approvals_version(std::string_view text) {
  if (!text.starts_with(kMagic)) return damaged("its first line is not that of an approvals file");
  text.remove_prefix(kMagic.size());
  const std::string_view version = text.substr(0, text.find_first_of(" \n"));
  if (version == kVersion) return {};
  if (version == kUnkeyed) {
    return damaged("it is of an earlier version, which anybody could have written");
  }
  if (!is_later_version(version)) return damaged("its first line has no version");
  return Status::error("approvals_newer",
                       "it has version " + std::string(version) + ", and this program knows " +
                           std::string(kVersion) +
                           "; use the newer program, or another state directory");
}

Result<std::vector<Approval>> decode_approvals(std::string_view text, std::string_view key) {
  if (Status status = check_approvals_version(text); !status) return status;
  const std::size_t head_end = text.find('\n');
  if (head_end == std::string_view::npos) return damaged("it has no more than half a line");
  std::string_view head = text.substr(0, head_end);
  head.remove_prefix(kMagic.size());
  const std::size_t space = head.find(' ');
  std::string_view body = text.substr(head_end + 1);
  if (space == std::string_view::npos || key.empty() ||
      head.substr(space + 1) != hmac_sha256_hex(key, body)) {
    return damaged(
        "its content does not match its checksum: it was edited, or is incomplete, or was not "
        "written with the key of this state directory");
  }
  std::vector<Approval> approvals;
  for (std::size_t line = 2; !body.empty(); ++line) {
    const std::size_t end = body.find('\n');
    Fields fields(body.substr(0, end));
    Approval approval = decode_line(fields);
    const Status possible = fields.good() ? check(approval) : Status();
    if (end == std::string_view::npos || !fields.good() || !possible) {
      return damaged("line " + std::to_string(line) + ": " +
                     (possible ? fields.wrong() + " is malformed" : possible.message()));
    }
    approvals.push_back(std::move(approval));
    body.remove_prefix(end + 1);
  }
  return approvals;
}

}  // namespace gibbous
