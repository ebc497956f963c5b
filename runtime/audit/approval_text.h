// Approvals as the text of a file: a line with the version and the HMAC-SHA256 of what follows,
// then one approval a line, `name=value` in a fixed order with tabs between. Pure, any thread.
//
//   gibbous-approvals 2 9f86d081…
//   id=aB3_x9Qz<TAB>kind=argv<TAB>mode=default<TAB>rank=1<TAB>…<TAB>subject=git push origin main
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/audit/approval.h"

namespace gibbous {

inline constexpr int kApprovalsVersion = 2;

// Looks at the beginning of a file only: ok when it has the version that decode_approvals() reads.
// Fails with approvals_newer, which names both versions, or with approvals_damaged.
Status check_approvals_version(std::string_view text);

// `key`: of the state directory (approval_file.h), so that nobody else writes approvals.
std::string encode_approvals(const std::vector<Approval>& approvals, std::string_view key);

// All or nothing: text that encode_approvals did not write, byte for byte, is rejected. Fails with
// approvals_damaged, which names the fault, or with approvals_newer for a file of a later version.
Result<std::vector<Approval>> decode_approvals(std::string_view text, std::string_view key);

}  // namespace gibbous
