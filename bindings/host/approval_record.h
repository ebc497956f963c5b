// What the journal says of an approval. The approvals that count are in their own file
// (runtime/approvals), which every process of the user reads; the journal tells afterwards which
// there were, who gave them, and until when.
#pragma once

#include "runtime/audit/approval.h"
#include "runtime/journal/record.h"

namespace gibbous::host {

ApprovalRecord record_of(const Approval& approval);

}  // namespace gibbous::host
