// While the tables were first designed, programs wrote files of versions 2 to 7 that lack columns
// which later files of the same version have. Version 8 adds them. Internal; the thread of the
// Database.
#pragma once

#include "gibbous/status.h"
#include "runtime/journal/database.h"

namespace gibbous {

// Returns true when the table has the column; a damaged schema counts as one that has it.
bool has_column(Database& database, const char* table, const char* column);

// Adds the columns that a file of versions 2 to 7 lacks. Call it within a transaction.
Status complete_tables(Database& database);

}  // namespace gibbous
