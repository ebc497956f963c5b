-- Repositories that sandboxed runs have made: /workspace/made_by_a_run is one in these cases.
local RUNS = {
  'git -C made_by_a_run status', 'cd made_by_a_run && git log', 'git add made_by_a_run',
  'git -C "$X" status # made_by_a_run', 'git -C made_by_a_run* status',
  'cd made_by_a_run*/ && git status', 'cd "$X" && git status # made_by_a_run',
  'env -C made_by_a_run git status', 'pushd made_by_a_run; git log; popd',
  '(cd made_by_a_run; git log)', 'git --git-dir made_by_a_run/.git log',
  'find made_by_a_run -execdir git status \\;', 'xargs git -C made_by_a_run log',
  'bash made_by_a_run/x.sh', 'sh -x made_by_a_run/x.sh', 'source made_by_a_run/x',
  './made_by_a_run/x.sh', 'make -C made_by_a_run', 'cd made_by_a_run && make test',
  'npm --prefix made_by_a_run test', 'npm --prefix=made_by_a_run test',
  'node made_by_a_run/x.js', 'python3 made_by_a_run/setup.py', 'tar xf made_by_a_run/a.tgz',
  'cp -r made_by_a_run b', 'ln -s made_by_a_run b',
  'cargo build --manifest-path made_by_a_run/Cargo.toml', 'cd made_by_a_run/a/b && cargo tree',
  'cmake -S made_by_a_run -B build', 'pip install ./made_by_a_run', 'pip install -e made_by_a_run',
  'go run ./made_by_a_run', 'make -f made_by_a_run/Makefile',
  'for d in made_by_a_run*; do git -C $d status; done',
  'cat x | xargs -I{} git -C {} status # made_by_a_run',
}
local TEMPORARY = {
  'git -C /tmp/made_by_a_run status', 'cd /tmp/made_by_a_run && git log',
  'cd /tmp/made_by_a_run && cargo tree', 'cd /tmp/made_by_a_run && ./x',
  'cd /tmp/made_by_a_run && frob', '/tmp/made_by_a_run/x.sh',
  'git --git-dir=/tmp/made_by_a_run/.git log', 'pushd /tmp/made_by_a_run; git diff; popd',
  'git -C "/tmp/$X" status # made_by_a_run', 'env -C /tmp/made_by_a_run git status',
}
return {
  {
    name = 'what a run has made runs confined at most', mode = 'auto',
    not_free = RUNS,
    ask = {
      'GIT_DIR=made_by_a_run/.git git log', 'export GIT_DIR=made_by_a_run/.git; git log',
      'git -C made_by_a_run push', 'sudo make -C made_by_a_run',
    },
    deny = { 'cd made_by_a_run && rm -rf /' },
  },
  { name = 'what a run has made is asked about', mode = 'default', ask = RUNS },
  { name = 'what a run has made does not run unseen', mode = 'ci', deny = RUNS },
  { name = 'what a run has made does not run in plan', mode = 'plan', deny = RUNS },
  {
    name = 'what a run has made can be looked at', mode = 'plan',
    allow = {
      'cat made_by_a_run/x', 'ls -la made_by_a_run', 'cd made_by_a_run && ls && cat .git/config',
      'grep -rn x made_by_a_run', 'git status # made_by_a_run', 'find made_by_a_run -name x',
      'diff -r made_by_a_run other', 'head made_by_a_run/x',
    },
  },
  {
    name = 'what a run has made is the business of nobody else', mode = 'ci',
    allow = {
      'make # made_by_a_run', 'npm test # made_by_a_run', 'git commit -m made_by_a_run',
      'rm -rf made_by_a_run', 'touch made_by_a_run/x', 'echo made_by_a_run',
      'git -C vendor log # made_by_a_run', 'cd src && make # made_by_a_run',
    },
  },
  {
    name = "what lies in the session's own /tmp runs confined at most", mode = 'auto',
    not_free = TEMPORARY,
    allow = {
      'cat /tmp/made_by_a_run.log', 'ls -la /tmp/made_by_a_run', 'tail -f /tmp/made_by_a_run.log',
      'grep -n x /tmp/made_by_a_run/x', 'make 2>&1 | tee /tmp/made_by_a_run.log',
      'npm test > /tmp/made_by_a_run.log 2>&1', 'git diff > /tmp/made_by_a_run.patch',
    },
  },
  {
    name = "what lies in the session's own /tmp is asked about", mode = 'default',
    ask = TEMPORARY,
  },
  {
    name = "what lies in the session's own /tmp does not run unseen", mode = 'ci',
    deny = TEMPORARY,
  },
}
