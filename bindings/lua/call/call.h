// Call: one call of a tool, from its policy verdict to its result. Owns the tree of tasks, pins its
// generation, and owns the runs that it started and did not detach. Made and owned by the Engine.
// Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bindings/lua/load/generation.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

class Call {
 public:
  virtual ~Call() = default;
  virtual CallId id() const = 0;
  virtual const std::string& session() const = 0;
  // tool() and generation() only while the call runs: not after its end (ended()).
  virtual const ToolDefinition& tool() const = 0;
  virtual Generation& generation() = 0;
  // The command line that a person approved with the call; "" when there is none.
  virtual const std::string& approved_command() const = 0;
  // A person was asked about the call, and allowed it.
  virtual bool is_approved() const = 0;
  // The id of the queued run that this call starts; "": it starts others.
  virtual const std::string& queued_run() const = 0;
  // That run is a reserved one of the table (Runs::reserve).
  virtual bool starts_reserved() const = 0;
  // It is an executor's: its runs are the runtime's own.
  virtual bool is_internal() const = 0;
  virtual bool cancelled() const = 0;
  virtual bool ended() const = 0;
  // This run dies with the call (run.start without detach), or no longer (detach). Owning a run
  // after the call's tasks have ended kills it at once.
  virtual void own_run(const std::string& run_id) = 0;
  virtual void disown_run(const std::string& run_id) = 0;
  // Delivered from the loop, before the result; dropped when nobody asked for progress.
  virtual void progress(const Progress& progress) = 0;
};

}  // namespace gibbous::lua
