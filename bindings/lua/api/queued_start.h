// A queued run is started by whichever host claims it, perhaps after a restart. So the queue keeps
// the start without what only its host knows: the directory is absolute, the executor is named, and
// the workspace, the mode, the shell, the configured sandbox and the inherited variables are kept
// beside it.
// Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bindings/lua/api/run_value.h"
#include "bindings/lua/call/queued_place.h"

namespace gibbous::lua {

struct Context;
class PolicyProgram;

// The version of what follows, in the run's `meta_json`; a higher one is of a newer program.
inline constexpr std::int64_t kQueuedStartVersion = 2;  // 1: its shell is kPlainShell
inline constexpr const char* kQueuedStartVersionMember = "start_version";
// Returns ok when this program and machine can start what is queued. Fails with queue_newer, which
// names both versions (one without is the first), and with no_shell.
Status check_queued(const Json& meta);

// Returns the options `asked` of a start, as `options` has read them, for any host.
Json portable_start(Json asked, const StartOptions& options, const Context& context);
// Returns where it is queued. Variables that look like secrets, and very long ones, are left out:
// nothing in the journal should be worth stealing.
Json queued_place_value(const Context& context, const PolicyProgram& policy,
                        const std::string& mode);

// Returns the options for this host: executor settings that are configured here are left out, so
// that they do not count as chosen by the call.
Json local_start(Json portable, const Context& context);
// Returns where `meta`, which queued_place_value made, says that it was queued. The mode is the
// stricter one of the run's and `mode`; variables that were left out come from this host. Fails
// with "denied" when the policy no longer has the run's mode. Null: the journal does not say, as
// those of earlier versions.
Result<std::shared_ptr<const QueuedPlace>> read_queued_place(const Json& meta,
                                                             const Context& context,
                                                             const PolicyProgram& policy,
                                                             const std::string& mode);

}  // namespace gibbous::lua
