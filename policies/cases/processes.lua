-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'processes: asked about',
    ask = {
      'kill $(lsof -t -i:3000)', 'lsof -ti:3000 | xargs kill -9', 'fuser -k 3000/tcp',
      'npx kill-port 3000', 'xkill', 'git push; kill 1234', 'esxcli vm process kill x',
    },
  },
  {
    name = 'processes: a sandbox holds signals',
    inside = {
      'kill 1234', 'kill -9 1234', 'kill -TERM 12 13', 'kill -1 1234', 'kill -9 -4321',
      'kill $(pgrep node)', 'kill -9 `cat ../server.pid`', 'pgrep -f vite | xargs kill',
      'kill "$X"', 'kill -9 $PPID', 'kill -9 $$', 'kill $PPID', 'kill -STOP 1234', 'pkill node',
      'pkill -f "npm run dev"', 'killall -9 node', 'pkill -STOP x',
    },
    confined = { 'xyz kill x', 'kill 123; frobnicate' },
  },
  {
    name = 'processes: free', mode = 'dangerous',
    free = {
      'kill 1234',
    },
  },
}
