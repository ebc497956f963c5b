local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

describe('notes', function()
  it('are written with a link to read them, and replaced only by a person', function()
    local first = spec.call('note_write', { day = 'monday', text = 'Ship it.' })
    expect(first.text):to_equal('Noted.')
    expect(first.content[1].uri):to_equal('notes://monday')
    expect(spec.call('note_write', { day = 'monday', text = 'Wait.' })):to_fail('tool_error')
  end)

  it('belong to days', function()
    expect(spec.call('note_write', { day = 'someday', text = 'x' })):to_fail('invalid_arguments')
  end)
end)
