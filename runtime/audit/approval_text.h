// Approvals as the text of a file: a line with the version and the SHA-256 of what follows, then
// one approval a line, `name=value` in a fixed order with tabs between. Pure, any thread.
//
//   gibbous-approvals 1 9f86d081…
//   id=aB3_x9Qz<TAB>kind=argv<TAB>mode=default<TAB>rank=1<TAB>…<TAB>subject=git push origin main
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/audit/approval.h"

namespace gibbous {

std::string encode_approvals(const std::vector<Approval>& approvals);

// All or nothing: text that was not written by encode_approvals, byte for byte, gives nothing.
// Fails with approvals_damaged, which names what is wrong, or with approvals_newer: a later
// version's file, which is nobody's damage.
Result<std::vector<Approval>> decode_approvals(std::string_view text);

}  // namespace gibbous
