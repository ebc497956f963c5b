-- Ending processes.
return {
  {
    name = 'everybody',
    mode = 'dangerous',
    deny = {
      'kill -9 -1', 'kill -1', 'kill -- -1', 'kill -KILL -1', 'kill -s 9 -1', 'kill -n 9 -1',
      'kill 1', 'kill -9 1', 'kill -TERM 1', 'sudo kill -9 1', 'kill -9 2 1', 'killall5',
      'killall5 -9', 'pkill -9 .', 'pkill .', "pkill -f ''", "pkill '.*'", 'pkill -u user',
      'pkill -9 -u root', 'killall -u user', 'killall -9 -u $USER', 'fuser -km /',
      'fuser -k -m /home', '/bin/kill -9 -1', 'sh -c "kill -9 -1"', 'env kill -9 -1',
      'nohup kill -9 1 &', 'echo 1 | xargs kill -9', 'for p in 1; do kill $p; done',
      'skill -u user', "killall -r '.*'", { argv = { 'kill', '-9', '-1' } },
    },
  },
  {
    name = 'others',
    ask = {
      'kill 1234', 'kill -9 1234', 'kill -TERM 12 13', 'kill -1 1234', 'kill -9 -4321',
      'kill $(pgrep node)', 'kill $(lsof -t -i:3000)', 'kill -9 `cat server.pid`', 'pkill node',
      'pkill -f "npm run dev"', 'killall -9 node', 'fuser -k 3000/tcp',
      'lsof -ti:3000 | xargs kill -9', 'pgrep -f vite | xargs kill', 'tmux -S /tmp/x kill-server',
      'strace -p 1234', 'gdb -p 1', 'npx kill-port 3000', 'kill "$X"', 'kill -9 $PPID',
      'kill -9 $$', 'xkill',
    },
  },
}
