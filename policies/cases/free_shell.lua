-- Everyday shell: loops, conditions, jobs, and the long lines that agents like.
return {
  {
    name = 'loops and conditions',
    allow = {
      'for f in *.txt; do echo "$f"; done',
      'for i in $(seq 1 5); do curl -s localhost:3000/$i; done',
      'for f in src/*.js; do node --check "$f" || echo "bad: $f"; done',
      'while read -r line; do echo "$line"; done < list.txt',
      'while ! nc -z localhost 5432; do sleep 1; done',
      'if [ -f package.json ]; then npm test; else make test; fi', '[ -d node_modules ] || npm ci',
      'test -x ./run && ./run', '[[ "$(uname)" == Darwin ]] && echo mac',
      'case "$1" in a) echo 1;; *) echo 2;; esac',
      'for d in packages/*/; do (cd "$d" && npm test); done',
      'for i in {1..3}; do npm test && break; done', 'until [ -f done ]; do sleep 1; done',
      'n=0; while [ $n -lt 3 ]; do n=$((n+1)); done', 'f() { echo "$1"; }; f hi',
      'set -euo pipefail; npm ci; npm test', 'set -e; cd sub; make',
      'x=$(git rev-parse HEAD); echo "$x"', 'arr=(a b c); echo "${arr[@]}"; echo ${#arr[@]}',
      'echo $((1 + 2))', 'echo "${X:-default}"', 'read -r a b <<< "1 2"; echo $a',
      'printf "%s\\n" a b c', 'true && echo yes', 'false || echo no', '! grep -q foo x',
      'export NODE_ENV=test; npm test', 'A=1 B=2 ./run', 'unset FOO', 'alias ll="ls -la"',
      'type ls', 'sleep 2', 'date +%s', 'date -u "+%Y-%m-%dT%H:%M:%SZ"', 'echo done', 'pwd',
      'cd src && ls', 'cd - && ls', 'pushd sub && make && popd', 'wait', 'jobs', 'exit 0',
      'time npm test', 'trap "rm -f /tmp/x.lock" EXIT', "trap 'kill $PID' EXIT", 'umask 022',
      'ulimit -n', 'echo a; echo b', 'echo "a && b; c | d > e"', "echo 'rm -rf /'",
      'echo "use sudo rm -rf / never"', '# only a comment', 'ls # with a comment',
      'printf "\\033[31mred\\033[0m\\n"', 'echo -e "a\\tb"', 'cat <<< "x"', 'diff <(ls a) <(ls b)',
      '{ echo a; echo b; } > out.txt', '(cd sub && npm test) 2>&1 | tee log.txt',
      'ls nonexistent 2>/dev/null || true', 'npm test > /dev/null 2>&1; echo $?',
      'seq 10 | xargs -n 2 echo', 'ls *.md | xargs wc -w', "xargs -I{} echo 'x {}' < list",
      'yes | head -3', 'echo x | tr a-z A-Z', 'command -v docker >/dev/null 2>&1 && echo yes',
      'bash -c "echo hi"', "sh -c 'npm ci && npm test'", "bash -lc 'npm test'",
      'bash -n scripts/x.sh', 'bash scripts/x.sh arg', 'sh ./run.sh', 'eval "echo hi"',
      'echo "npm test" | bash', { argv = { 'npm', 'test' } },
      { argv = { 'bash', '-c', 'npm ci && npm test' } }, { argv = { 'echo', 'a; rm -rf /' } },
      { argv = { 'grep', '-rn', '$(x)', '.' } },
      { argv = { 'git', 'commit', '-m', 'rm -rf / && reboot' } },
    },
  },
  {
    name = 'scripts that the line writes itself',
    not_denied = {
      'gcc -o app main.c && ./app', 'cat > x.py <<EOF\nprint(1)\nEOF\npython3 x.py',
      'echo "echo hi" > x.sh && bash x.sh', 'printf "%s" "$X" > a.js; node a.js',
    },
  },
  {
    name = 'jobs of the line itself',
    allow = {
      'npm start & sleep 5 && curl -s localhost:3000 && kill $!',
      'npm run dev & PID=$!; sleep 3; curl localhost:3000; kill $PID',
      './server & SERVER_PID=$!; npm test; kill -9 $SERVER_PID; wait $SERVER_PID 2>/dev/null',
      'sleep 60 & kill %1', 'kill %%',
      'python3 -m http.server 8000 & pid=$!; npx cypress run; kill "$pid"', 'kill -0 1234',
      'kill -l', 'nohup ./server > server.log 2>&1 & echo $! > server.pid',
      'timeout 30 ./server || true', 'npm test & npm run lint & wait', 'disown -a',
      'sleep 1 & wait $!',
    },
  },
  {
    name = 'long lines',
    allow = {
      'cd packages/api && npm ci && npm run build && npm test -- --coverage 2>&1 | tail -40',
      'rm -rf build && mkdir build && cd build && cmake -DCMAKE_BUILD_TYPE=Release .. && make '
        .. '-j$(nproc) && ctest --output-on-failure',
      'git checkout -b fix/x && sed -i "s/foo/bar/g" src/a.ts && npx tsc --noEmit && git add -A '
        .. '&& git commit -m "fix: rename foo" && git log --oneline -3',
      'python3 -m venv .venv && . .venv/bin/activate && pip install -q -r requirements.txt && '
        .. 'pytest -q && deactivate',
      'for f in $(git diff --name-only HEAD~1 -- "*.py"); do echo "== $f"; python3 -m py_compile '
        .. '"$f" || exit 1; done',
      'docker build -t app . 2>&1 | tail -5 && docker images app --format "{{.Size}}"',
      'mkdir -p /tmp/bench && cp -r . /tmp/bench/repo && cd /tmp/bench/repo && npm ci --silent '
        .. '&& npm run bench | tee result.txt && cp result.txt /workspace/bench.txt && rm -rf '
        .. '/tmp/bench',
      'curl -sL https://example.com/data.tar.gz -o /tmp/data.tar.gz && tar xzf /tmp/data.tar.gz '
        .. '-C data && rm /tmp/data.tar.gz && ls data | head',
      'grep -rlE "from \'(\\.\\./)+utils\'" src | while read -r f; do echo "$f"; done | sort | '
        .. 'uniq > /tmp/list.txt; wc -l < /tmp/list.txt',
      'find . -name "*.test.ts" -not -path "*/node_modules/*" | xargs grep -L "describe(" | head '
        .. '-20 || echo "all good"',
      'export DATABASE_URL=postgres://localhost/test NODE_ENV=test; npm run migrate && npm test; '
        .. 'status=$?; echo "exit: $status"; exit $status',
      'if ! command -v jq >/dev/null; then echo "no jq"; exit 1; fi; jq -r ".dependencies | '
        .. 'to_entries[] | \\"\\(.key) \\(.value)\\"" package.json | sort',
      'set -x; npm run build --workspace=web; ls -la web/dist; du -sh web/dist; find web/dist '
        .. '-name "*.js" -size +500k -exec ls -lh {} \\;',
      'npm run dev > /tmp/dev.log 2>&1 & DEV_PID=$!; for i in 1 2 3 4 5; do curl -sf '
        .. 'http://localhost:5173 > /dev/null && break; sleep 1; done; npx playwright test; kill '
        .. '$DEV_PID; tail -20 /tmp/dev.log',
      'cat package.json | jq ".devDependencies | keys" && npm ls --depth=0 2>/dev/null | grep -i '
        .. 'eslint; cat .eslintrc* 2>/dev/null | head -50',
      'git stash && git checkout main && git pull --rebase && git checkout - && git rebase main '
        .. '&& git stash pop',
      'cargo fmt && cargo clippy --fix --allow-dirty && cargo test --workspace 2>&1 | grep -E '
        .. '"^(test|error|warning: unused)" | head -60',
      "awk -F'\\t' 'NR > 1 && $3 > 100 { sum[$1] += $3 } END { for (k in sum) print k, sum[k] }' "
        .. "data.tsv | sort -k2 -rn | head -10",
      'for v in 18 20 22; do docker build --build-arg NODE=$v -t app:$v . && echo "ok $v" || '
        .. 'echo "failed $v"; done',
      'LOG=$(mktemp); make check > "$LOG" 2>&1 || { tail -50 "$LOG"; rm -f "$LOG"; exit 1; }; rm '
        .. '-f "$LOG"',
      'cp -r examples/basic /tmp/try && cd /tmp/try && npm link /workspace && npm test; cd '
        .. '/workspace && rm -rf /tmp/try',
    },
  },
}
