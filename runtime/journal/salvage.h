// Salvage: copies what can be read of a damaged journal. One thread; internal.
#pragma once

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/journal_repair.h"

namespace gibbous {

// Damage of `old` is counted in the report; an error is one of `made`, which has the tables
// already.
Status salvage(Database& old, Database& made, RepairReport* report);

}  // namespace gibbous
