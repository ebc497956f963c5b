// The specs that `gibbous new` writes beside what they test.
#include "bindings/cli/new_specs.h"

namespace gibbous::cli {
namespace {

constexpr const char* kToolSpec =
    R"lua(-- `gibbous test` runs this; docs/testing.md is the guide.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

describe('@NAME@', function()
  it('counts the lines of a file', function()
    local answer = spec.call('@NAME@', { path = 'scripts/tools/@NAME@_spec.lua' })
    expect(answer):to_succeed()
    expect(answer.text):to_match('^%d+ lines in')
  end)

  it('says so when there is no such file', function()
    expect(spec.call('@NAME@', { path = 'no/such/file' })):to_fail('not_counted')
  end)
end)
)lua";

constexpr const char* kWatcherSpec =
    R"lua(-- `gibbous test` runs this; docs/testing.md is the guide.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

describe('@NAME@', function()
  it('adds the last lines to the event', function()
    local server = spec.fake('my-server') -- has no process, and prints what this spec says
    spec.call('bg_start', {
      command = 'my-server', watch = { { regex = 'ERROR', event = '@NAME@' } },
    })
    spec.settle()
    server:print('starting\nERROR: no\n')
    local event = spec.events()[1]
    expect(event.event):to_equal('@NAME@')
    expect(event.data.tail):to_contain('ERROR: no')
  end)
end)
)lua";

constexpr const char* kExecutorSpec =
    R"lua(-- `gibbous test` runs this; docs/testing.md is the guide.
local executor = require 'executors.@NAME@'
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

describe('@NAME@', function()
  it('puts its words before those of the command', function()
    local made = executor.prepare {
      command = 'make', shell = '/bin/sh', env = {}, settings = { niceness = 5 },
    }
    expect(made.argv):to_equal { 'nice', '-n', '5', '/bin/sh', '-c', 'make' }
  end)
end)
)lua";

}  // namespace

const char* new_spec_text(NewKind kind) {
  switch (kind) {
    case NewKind::kTool:
      return kToolSpec;
    case NewKind::kWatcher:
      return kWatcherSpec;
    case NewKind::kExecutor:
      return kExecutorSpec;
    case NewKind::kPolicy:  // its cases are its tests
      return "";
  }
  return "";
}

}  // namespace gibbous::cli
