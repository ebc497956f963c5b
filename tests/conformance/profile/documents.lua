-- Resources and prompts.
local media = require 'media'

local text = resource {
  name = 'static-text',
  uri = 'test://static-text',
  description = 'A text that never changes',
  mime_type = 'text/plain',
  read = function()
    return 'This is the content of the static text resource.'
  end,
}

local binary = resource {
  name = 'static-binary',
  uri = 'test://static-binary',
  description = 'An image that never changes',
  mime_type = 'image/png',
  read = function()
    return { base64 = media.png }
  end,
}

local watched = resource {
  name = 'watched-resource',
  uri = 'test://watched-resource',
  description = 'A text to subscribe to',
  mime_type = 'text/plain',
  read = function()
    return 'Watched resource content'
  end,
}

local template = resource {
  name = 'template',
  uri_template = 'test://template/{id}/data',
  description = 'Data by id',
  mime_type = 'application/json',
  read = function(args)
    return json.encode { id = args.id, templateTest = true, data = 'Data for ID: ' .. args.id }
  end,
}

local simple = prompt {
  name = 'test_simple_prompt',
  description = 'A prompt without arguments',
  run = function()
    return 'This is a simple prompt for testing.'
  end,
}

local with_arguments = prompt {
  name = 'test_prompt_with_arguments',
  description = 'A prompt with two arguments',
  arguments = {
    { name = 'arg1', description = 'First test argument', complete = { 'paris', 'park', 'party' } },
    { name = 'arg2', description = 'Second test argument' },
  },
  run = function(args)
    return ("Prompt with arguments: arg1='%s', arg2='%s'"):format(args.arg1, args.arg2)
  end,
}

local with_resource = prompt {
  name = 'test_prompt_with_embedded_resource',
  description = 'A prompt with a resource',
  arguments = { { name = 'resourceUri', description = 'URI of the resource to embed' } },
  run = function(args)
    return {
      {
        content = {
          type = 'resource',
          uri = args.resourceUri,
          mime_type = 'text/plain',
          text = 'Embedded resource content for testing.',
        },
      },
      'Please process the embedded resource above.',
    }
  end,
}

local with_image = prompt {
  name = 'test_prompt_with_image',
  description = 'A prompt with an image',
  run = function()
    return {
      { content = { type = 'image', mime_type = 'image/png', base64 = media.png } },
      'Please analyze the image above.',
    }
  end,
}

return {
  name = 'documents',
  resources = { text, binary, watched, template },
  prompts = { simple, with_arguments, with_resource, with_image },
}
