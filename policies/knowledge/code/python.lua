-- Python: which code touches paths, and which is harmless: imports of modules that only compute,
-- calls that only compute or print, and reading files below the current directory.
local pattern = require 'knowledge.code.pattern'

local CALLS = pattern.one_of [[print len range str int float bool list dict set tuple sum min
  max abs round enumerate zip reversed repr ord chr hex bin format isinstance any all sorted
  divmod json.load json.loads json.dumps pprint.pprint pprint.pformat re.findall re.search
  re.match re.sub re.split re.escape math.sqrt math.ceil math.floor math.log math.pow time.time
  time.sleep sys.exit datetime.datetime.now datetime.now datetime.date.today
  platform.python_version platform.platform platform.machine platform.system hashlib.sha256
  hashlib.md5 base64.b64decode base64.b64encode urllib.parse.quote urllib.parse.unquote
  random.randint random.random collections.Counter Counter sys.stdin.read sys.stdin.readlines
  torch.cuda.is_available
  exit quit dir type id callable hash
  uuid.uuid4 tomllib.loads yaml.safe_load ast.parse json.dump csv.writer csv.reader csv.DictReader
  yaml.dump yaml.safe_dump tomllib.load]]
local METHODS = pattern.one_of [[get items keys values split rsplit splitlines strip lstrip
  rstrip join replace startswith endswith lower upper title format read readlines append count
  write writelines writerow writerows close index find encode decode hexdigest isoformat strftime
  timestamp group groups most_common sort]]
-- Words that must not occur at all.
local NAME = pattern.other_than [[from import as eval exec compile open input os subprocess
  modules system popen Popen run call check_output check_call getattr setattr delattr globals
  locals vars builtins lambda def class shutil importlib ctypes pickle marshal pty socket spawn
  fork kill remove unlink rmtree rmdir rename write chmod chown breakpoint key object_hook async
  await with try except global del pathlib Path]]
-- An import runs code of the project or of an installed package, no differently than running a file
-- of it.
local IMPORT = [[\bimport\s|\bimport\s+(?:[a-z.]+,\s*)*os\b|\bfrom pathlib import Path\b]]
local OS = [[\bos\.(?:(?:getcwd|cpu_count|getpid|getenv|environ\.get|listdir|path\.[a-z]+)\(]]
  .. [[|environ\b|name\b|sep\b)]]
local READ_PATH = [[(?:pathlib\.)?Path\(\s*]] .. pattern.FILE
  .. [[\s*\)\.(?:read_text|read_bytes|exists|is_file|is_dir|resolve|stat)\(\)]]
local WRITE_PATH = [[(?:pathlib\.)?Path\(\s*]] .. pattern.FILE
  .. [[\s*\)\.(?:(?:write_text|write_bytes)\(|(?:mkdir|touch)\((?:\s*(?:parents|]]
  .. [[exist_ok)\s*=\s*True,?)*\s*\))]]
local MAKE_DIRECTORY = [[\bos\.(?:makedirs|mkdir)\(\s*]] .. pattern.FILE
  .. [[(?:\s*,\s*exist_ok\s*=\s*True)?\s*\)]]
local WRITE_MODE = [[\s*,\s*(?:mode\s*=\s*)?["'][wax]b?\+?["'](?:\s*,\s*(?:encoding|]]
  .. [[newline)\s*=\s*]]
  .. [[["'][\w-]*["'])*]]
local STRING = '(?:[rbRB]?' .. pattern.STRING .. ')'
-- Without calls in its braces.
local FORMATTED = [=[[fF](?:"[^"\\(]*"|'[^'\\(]*')]=]
local READ_MODE = [[(?:\s*,\s*(?:encoding\s*=\s*)?(?:["']rb?["']|["']utf-?8["']))*]]
-- A string or a parenthesis follows one of these; otherwise it belongs to a name: f"", f().
local BEFORE = [=[[-+*/%<>=!,:;.\[{|&^~(]]=]

local QUOTED = [=[\(\s*(?:os\.path\.expanduser\(\s*)?[rbf]?["']([^"']+)["']]=]
local PATH = [[Path]] .. QUOTED .. [[\)(?:\.expanduser\(\))?\.]]
local SECOND = [[\([^,()]*,\s*["']([^"']+)["']\s*\)]]
local OPENED = [[open]] .. QUOTED .. [[\)?\s*]]

return {
  calls = {
    { access = 'remove', recursive = true, pattern = '(?:rmtree|removedirs)' .. QUOTED },
    { access = 'remove', pattern = '(?:remove|unlink|rmdir|rename|replace|move)' .. QUOTED },
    { access = 'remove', pattern = PATH .. [[(?:unlink|rmdir|rename)\(]] },
    {
      access = 'write',
      pattern = '(?:copy2?|copyfile|copytree|rename|move|link|symlink)' .. SECOND,
    },
    { access = 'write', pattern = PATH .. [[(?:write_text|write_bytes|touch|mkdir)\(]] },
    { access = 'write', pattern = OPENED .. [=[,\s*(?:mode\s*=\s*)?["'][rbt]*[wax+]]=] },
    { access = 'write', pattern = '(?:mkdir|makedirs|truncate|mkfifo|mknod)' .. QUOTED },
    { access = 'read', pattern = OPENED .. '[,)]' },
    { access = 'read', pattern = PATH .. [[read_(?:text|bytes)\(]] },
    { access = 'permission', pattern = '(?:chmod|chown|lchown)' .. QUOTED },
  },
  harmless = pattern.made_of {
    [[\s]],
    IMPORT,
    [[(?:]] .. BEFORE .. [[|\b(?:in|and|or|not|if|else|return|is)\s)\s*]] .. STRING,
    [[(?:[(\[,=+]\s*)]] .. FORMATTED,
    CALLS .. [[\(\s*(?:]] .. STRING .. '|' .. FORMATTED .. ')?',
    [[\.]] .. METHODS .. [[\(\s*]] .. STRING .. '?',
    STRING .. [[\.(?:join|format|split|replace|encode)\(]],
    [[open\(\s*]] .. pattern.FILE .. READ_MODE .. [[\s*\)]],
    -- Where these write is judged as any other path.
    [[open\(\s*]] .. pattern.FILE .. WRITE_MODE .. [[\s*\)]],
    WRITE_PATH .. STRING .. '?', MAKE_DIRECTORY,
    BEFORE .. [[\s*\(]],
    BEFORE .. [=[|[\])}]]=],
    [[\.__(?:version|file|doc)__]],
    OS .. '(?:' .. STRING .. ')?', READ_PATH,
    [[(?:\b|\.)]] .. NAME,
    [[\b[0-9][0-9a-fA-FxX_.]*|\b_\b]],
  },
}
