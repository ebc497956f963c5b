-- Templates, plugins and settings that tools for projects take from elsewhere.

-- Options whose values are addresses of what is built, not of code that is taken.
local PLAIN = {
  ['--base-url'] = true, ['--base-href'] = true, ['--deploy-url'] = true, ['--url'] = true,
  ['--host'] = true, ['--origin'] = true, ['--baseURL'] = true, ['--baseUrl'] = true,
  ['--public-url'] = true, ['--site-url'] = true, ['-b'] = true, ['--server'] = true,
  ['--api-url'] = true, ['--endpoint'] = true, ['--callback-url'] = true, ['--base'] = true,
}
local HERE = { ['localhost'] = true, ['127.0.0.1'] = true, ['0.0.0.0'] = true, ['[::1]'] = true }

local function takes_address(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word == '--' then
      return false
    end
    local name = word:match('^(%-%-?[%w-]+)=') or command.argv[at - 1]
    local host = word:match('%a[%w+.-]*://([^/?#%s]+)')
    host = host and host:gsub('^.*@', ''):gsub(':%d+$', '')
    local remote = host and not HERE[host] or word:find('git@[%w.-]+:') ~= nil
    if remote and not PLAIN[name] then
      return true
    end
  end
  return false
end

local PLUGINS = {
  '^org%.apache%.', '^org%.codehaus%.mojo:', '^org%.springframework', '^io%.quarkus',
  '^com%.diffplug', '^org%.jacoco:', '^org%.sonarsource', '^org%.owasp', '^io%.micronaut',
  '^org%.openapitools', '^com%.github%.spotbugs', '^org%.flywaydb', '^org%.liquibase',
}

-- mvn GROUP:ARTIFACT:VERSION:GOAL runs a plugin that the project need not list.
local function runs_plugin(command)
  for _, index in ipairs(command.operands) do
    local word = command.argv[index]
    if word:find('^[%w._-]+%.[%w._-]+:[%w._-]+:') then
      for _, known in ipairs(PLUGINS) do
        if word:find(known) then
          return false
        end
      end
      return true
    end
  end
  return false
end

return {
  {
    id = 'remote.template',
    decision = 'ask',
    reason = 'This takes a template, settings or code from an address: let a person approve the '
      .. 'source.',
    program = {
      'mvn', 'mvnw', 'gradle', 'gradlew', 'sbt', 'rails', 'ng', 'vue', 'create-*', 'gatsby', 'hugo',
      'jekyll', 'django-admin', 'expo', 'react-native', 'cargo', 'deno', 'yarn', 'flutter', 'mix',
      'gem', 'rake', 'bazel', 'meson', 'stack', 'dart', 'nx', 'sv', 'nuxi', 'astro',
    },
    test = takes_address,
    match = {
      'gradle -I https://example.com/x.gradle build', 'rails new x -m https://example.com/t.rb',
      'create-next-app -e https://example.com/x', 'yarn add a@git@github.com:a/b',
      'deno run --import-map=https://example.com/x a.ts', 'cargo script https://example.com/x',
    },
    not_match = {
      'ng build --base-href https://example.com', 'cargo run -- https://example.com',
      'hugo --baseURL https://example.com', 'rails new x', 'deno run a.ts http://localhost:80',
    },
  },
  {
    id = 'remote.plugins',
    decision = 'ask',
    reason = 'This runs or installs a plugin that the project does not list: let a person approve '
      .. 'it.',
    program = 'mvn mvnw sbt ng vue poetry pdm rebar3 hugo',
    test = function(command)
      local first, second = command.argv[2] or '', command.argv[3] or ''
      local third = command.argv[4] or ''
      local program = command.program
      if program:find('^mvn') then
        return runs_plugin(command)
      elseif program == 'ng' then
        return first == 'add' and not second:find('^@angular/')
          or table.concat(command.argv, ' '):find(' %-%-collection') ~= nil
      elseif program == 'vue' then
        return first == 'add' and not second:find('^@vue/')
          or table.concat(command.argv, ' '):find(' %-%-preset ') ~= nil
      end
      return program == 'sbt' and first == 'new' or program == 'poetry' and first == 'self'
        or program == 'pdm' and first == 'plugin' and second ~= 'list'
        or program == 'rebar3' and first == 'plugins' and second == 'install'
        or program == 'hugo' and first == 'mod' and second == 'get' and third:find('^%a') ~= nil
    end,
    match = {
      'mvn org.evil:plugin:1.0:run', 'ng add evil', 'vue add evil', 'poetry self add evil',
      'sbt new evil/x.g8', 'pdm plugin add evil',
    },
    not_match = {
      'mvn org.apache.maven.plugins:maven-help-plugin:3.4.0:help', 'ng add @angular/material',
      'mvn dependency:tree', 'vue add @vue/typescript', 'sbt compile',
    },
  },
  {
    id = 'remote.planted',
    decision = 'ask',
    reason = 'This puts a file from elsewhere among the installed packages of the project, where '
      .. 'it runs unseen: let the package manager install it.',
    program = 'curl wget wget2 aria2c http xh',
    access = 'write',
    path = 'workspace',
    test = function(command)
      for _, access in ipairs(command.accesses) do
        if access.access == 'write' and (access.path:find('/node_modules/', 1, true)
          or access.path:find('/%.?venv/') or access.path:find('/vendor/', 1, true)
          or access.path:find('/site-packages/', 1, true)) then
          return true
        end
      end
      return false
    end,
    match = { 'curl -o node_modules/.bin/tsc https://example.com' },
    not_match = { 'curl -o data.json https://example.com' },
  },
}
