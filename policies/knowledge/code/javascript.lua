-- JavaScript: which code touches paths, and which is harmless: console.log, computations, and
-- reading files below the current directory.
local pattern = require 'knowledge.code.pattern'

local CALLS = pattern.one_of [[console.log console.error console.table console.dir
  JSON.stringify JSON.parse Object.keys Object.values Object.entries Math.max Math.min
  Math.round Math.floor Math.ceil Math.random Math.sqrt parseInt parseFloat Number String
  Boolean Array.from Array.isArray new\s+Date new\s+Set new\s+Map new\s+URL Date.now
  encodeURIComponent decodeURIComponent process.cwd process.exit process.memoryUsage
  process.uptime process.stdout.write isNaN if for while]]
local METHODS = pattern.one_of [[map filter reduce forEach join split slice sort flat flatMap
  find some every includes indexOf concat keys values entries replace trim toString toFixed
  toUpperCase toLowerCase startsWith endsWith match test padEnd padStart toISOString getTime
  push charAt repeat reverse]]
-- Words that must not occur at all.
local NAME = pattern.other_than [[eval Function constructor require import child_process binding
  mainModule exec execSync spawn spawnSync fork kill dlopen globalThis global Reflect Proxy
  setTimeout setInterval setImmediate fs module exports function class async await with
  prototype get set vm worker_threads net http https fetch Bun Deno delete yield]]
local MODULES = [=[["'](?:node:)?(?:path|url|util|os|querystring|crypto|assert)["']]=]
-- JSON files and the project's own code, which loading runs no differently than running it.
local JSON = [[(?:(?:\./)?[\w@-][\w.@-]*(?:/\w[\w.-]*)*\.json|\./\w[\w.-]*(?:/\w[\w.-]*)*)]]
local FS = [[(?:require\(["'](?:node:)?fs["']\)|\bfs)]]
local OS = [[require\(["'](?:node:)?os["']\)]]
  .. [[\.(?:cpus|totalmem|freemem|platform|arch|hostname|release)]]
-- Without calls in its ${}.
local TEMPLATE = '`[^`\\\\(]*`'
local BEFORE = [=[[-+*/%<>=!,:;?\[{|&^~(]]=]

local QUOTED = [=[\(\s*["'`]([^"'`]+)["'`]]=]
local SECOND = [=[\([^,()]*,\s*["'`]([^"'`]+)["'`]]=]

return {
  calls = {
    {
      access = 'remove', recursive = true,
      pattern = [[(?:rmSync|rm|rmdirSync|rmdir|removeSync|remove|emptyDirSync|rimraf(?:\.sync)?)]]
        .. QUOTED,
    },
    { access = 'remove', pattern = '(?:unlinkSync|unlink|renameSync|rename|moveSync)' .. QUOTED },
    {
      access = 'write',
      pattern = '(?:writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|'
        .. 'outputFileSync|truncateSync|mkdirSync|openSync|writeTextFileSync|write)' .. QUOTED,
    },
    {
      access = 'write',
      pattern = '(?:copyFileSync|cpSync|copySync|symlinkSync|renameSync)' .. SECOND,
    },
    {
      access = 'read',
      pattern = '(?:readFileSync|readFile|createReadStream|readdirSync)' .. QUOTED,
    },
    { access = 'permission', pattern = '(?:chmodSync|chownSync|chmod|chown)' .. QUOTED },
  },
  harmless = pattern.made_of {
    [[\s]], [[(?:^|\n)\s*\.(?:exit|help|clear|break)\b]],
    [[(?:]] .. BEFORE .. [[|\breturn\s)\s*(?:]] .. pattern.STRING .. '|' .. TEMPLATE .. ')',
    CALLS .. [[\(\s*(?:]] .. pattern.STRING .. '|' .. TEMPLATE .. ')?',
    [[\.]] .. METHODS .. [[\(\s*(?:]] .. pattern.STRING .. ')?',
    [[require\(\s*(?:']] .. JSON .. [['|"]] .. JSON .. [["|]] .. MODULES .. [[)\s*\)]],
    [[(?:const|let|var)\s+fs\s*=\s*require\(["'](?:node:)?fs["']\)]],
    FS .. [[\.(?:readFileSync|existsSync|statSync)\(\s*]] .. pattern.FILE
      .. [[(?:\s*,\s*["']utf-?8["'])?\s*\)]],
    FS .. [[\.(?:writeFileSync|appendFileSync|mkdirSync)\(\s*]] .. pattern.FILE
      .. [[\s*(?:,\s*(?:]] .. pattern.STRING .. '|' .. TEMPLATE .. [[|]]
      .. [[\{\s*recursive:\s*true\s*\})?|\))]],
    OS .. [[\(\)]],
    BEFORE .. [[\s*\(]],
    BEFORE .. [=[|[\].)}]]=],
    [[(?:\b|\.)]] .. NAME,
    [[\b[0-9][0-9a-fA-FxX_.]*|\b_\b]],
  },
}
