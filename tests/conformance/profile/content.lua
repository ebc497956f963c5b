-- Tools that return every kind of content, fail, log and report progress.
local media = require 'media'

local STEP_MS = 50

local function fixture(name, description, run)
  return tool {
    name = name,
    description = description,
    permission = 'read',
    input = schema.object {},
    run = run,
  }
end

local IMAGE = { type = 'image', mime_type = 'image/png', base64 = media.png }

local text = fixture('test_simple_text', 'Returns a text', function()
  return 'This is a simple text response for testing.'
end)

local image = fixture('test_image_content', 'Returns an image', function()
  return { content = { IMAGE } }
end)

local audio = fixture('test_audio_content', 'Returns a sound', function()
  return { content = { { type = 'audio', mime_type = 'audio/wav', base64 = media.wav } } }
end)

local embedded = fixture('test_embedded_resource', 'Returns a resource', function()
  return {
    content = {
      {
        type = 'resource',
        uri = 'test://embedded-resource',
        mime_type = 'text/plain',
        text = 'This is an embedded resource content.',
      },
    },
  }
end)

local mixed = fixture('test_multiple_content_types', 'Returns several kinds', function()
  return {
    text = 'Multiple content types test:',
    content = {
      IMAGE,
      {
        type = 'resource',
        uri = 'test://mixed-content-resource',
        mime_type = 'application/json',
        text = json.encode { test = 'data', value = 123 },
      },
    },
  }
end)

local failing = fixture('test_error_handling', 'Always fails', function()
  return { is_error = true, text = 'This tool intentionally returns an error for testing' }
end)

local progress = fixture('test_tool_with_progress', 'Reports progress', function()
  for _, done in ipairs { 0, 50, 100 } do
    tool.progress(done, 100)
    time.sleep(STEP_MS)
  end
  return 'Tool with progress executed'
end)

local logging = fixture('test_tool_with_logging', 'Logs three lines', function()
  for _, line in ipairs { 'started', 'processing data', 'completed' } do
    log.info('Tool ' .. line)
    time.sleep(STEP_MS)
  end
  return 'Tool with logging executed'
end)

local one_line = fixture('test_logging_tool', 'Logs one line', function()
  log.info('A line of the tool')
  return 'Logged'
end)

local dialect = tool {
  name = 'json_schema_2020_12_tool',
  description = 'Takes arguments that JSON Schema 2020-12 describes',
  permission = 'read',
  input = {
    ['$schema'] = 'https://json-schema.org/draft/2020-12/schema',
    type = 'object',
    ['$defs'] = {
      address = {
        ['$anchor'] = 'addressDef',
        type = 'object',
        properties = { street = { type = 'string' }, city = { type = 'string' } },
      },
    },
    properties = {
      name = { type = 'string' },
      address = { ['$ref'] = '#/$defs/address' },
      contactMethod = { type = 'string', enum = { 'phone', 'email' } },
      phone = { type = 'string' },
      email = { type = 'string' },
    },
    allOf = { { anyOf = { { required = { 'phone' } }, { required = { 'email' } } } } },
    ['if'] = {
      properties = { contactMethod = { const = 'phone' } },
      required = { 'contactMethod' },
    },
    ['then'] = { required = { 'phone' } },
    ['else'] = { required = { 'email' } },
    additionalProperties = false,
  },
  run = function(args)
    return 'Reached by ' .. (args.contactMethod or 'email')
  end,
}

return {
  name = 'content',
  tools = {
    text, image, audio, embedded, mixed, failing, progress, logging, one_line, dialect,
  },
}
