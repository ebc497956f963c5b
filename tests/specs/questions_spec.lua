-- Specs answer what tools ask of the person, the model or the client.
local spec = require 'spec'
local describe, it, expect = spec.describe, spec.it, spec.expect

local function which()
  return ask {
    message = 'Which database?',
    form = schema.object { name = schema.string { enum = { 'test', 'staging' } } },
  }
end

describe('a question of a tool', function()
  it('gets the answers of its spec in turn', function()
    spec.answer { name = 'staging' }
    spec.answer(nil)
    expect(which()):to_equal { name = 'staging' }
    local nothing, err = which()
    expect(nothing):to_be_nil()
    expect(err.code):to_equal('declined')
  end)

  it('gets an answer that fits its form', function()
    spec.answer { name = 'production' }
    local _, err = which()
    expect(err.code):to_equal('invalid_answer')
  end)

  it('cannot be asked without an answer', function()
    local _, err = which()
    expect(err.code):to_equal('cannot_ask')
    expect(err.message):to_contain('spec.answer')
  end)

  it('is answered for the model and the client, too', function()
    spec.answer('forty-two')
    local said = ask.model { messages = 'How many?', max_tokens = 10 }
    expect(said.text):to_equal('forty-two')
    spec.answer { 'file:///srv/shop' }
    expect(ask.roots()[1].path):to_equal('/srv/shop')
  end)
end)
