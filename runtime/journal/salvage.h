// Salvage copies the readable part of a damaged journal. One thread; internal.
#pragma once

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/journal_repair.h"

namespace gibbous {

// Damage in `old` is counted in the report; a returned error is one of `made`, which already has
// the tables.
Status salvage(Database& old, Database& made, RepairReport* report);

}  // namespace gibbous
