-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'processes: asked about',
    ask = {
      'kill 1234', 'kill -9 1234', 'kill $(pgrep node)', 'kill $(lsof -t -i:3000)',
      'kill -9 `cat server.pid`', 'lsof -ti:3000 | xargs kill -9', 'kill "$X"', 'kill -9 $PPID',
      'bash /tmp/x.sh && kill 1234', 'fuser -k 3000/tcp', 'pkill node', 'pkill -f "npm run dev"',
      'killall -9 node', 'npx kill-port 3000',
    },
  },
}
