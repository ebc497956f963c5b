// The lookout: a small process beside the keeper and its wardens, not above them, which ends what
// they cannot end because a run stops all three again and again, or has killed them. Nothing that
// a run sees of its ancestors leads to it: it is nobody's ancestor, has its own session, and shows
// no open files to others of its user. It is no subreaper, so it goes by what is below the keeper
// and its wardens, by control groups, and by marks and the sessions of what has them. It sleeps
// until the host or the keeper ends, or the host says that its keeper is stopped. Keeper only.
//
//   host says: keeper stopped       continues the others; when they are stopped again as soon as
//                                   that, ends the run that does it, and it alone (culprit.h)
// Without a host, or without a keeper:
//   keeper ended by itself          nothing is left; it ends
//   the others do their work        waits for them
//   the others are stopped again
//   as soon as they are continued   ends the runs, but not kept ones, and continues the others
//   the others take too long        ends the runs, then the keeper, then the wardens
#pragma once

#include <span>

#include "runtime/base/unique_fd.h"

namespace gibbous::keeper {

class WardenPage;

// Starts it; the caller is going to be the second warden, and has no children. In the keeper, the
// descriptor that the page has from now on must stay open.
void start_lookout(WardenPage& page, const UniqueFd& host, std::span<char> name);

}  // namespace gibbous::keeper
