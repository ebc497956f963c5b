-- A server accepts requests, or a watch mode has finished its first round. See presets.lua.

return {
  {
    -- vite
    regex = [[VITE v\S+ +ready in [\d.]+ m?s]],
    event = 'ready',
    match = {
      '  \27[32m\27[1mVITE\27[22m v5.2.8\27[39m  \27[2mready in \27[0m\27[1m312\27[22m\27[2m\27['
        .. '0m ms\27[22m',
      '  VITE v4.5.0  ready in 1204 ms',
    },
    not_match = { 'vite v5.2.8 building for production...', 'vite v5.2.8 dev server' },
  },
  {
    -- vite, astro, sveltekit and their like: the address; next has one, too
    regex = [[^ *(?:➜|┃|-|›) +Local:? +(?P<url>https?://\S+)]],
    event = 'ready',
    match = {
      '  \27[32m➜\27[39m  \27[1mLocal\27[22m:   \27[36mhttp://localhost:\27[1m5173\27[22m/\27[39m',
      '   - Local:        http://localhost:3000',
      '┃ Local    http://localhost:4321/',
    },
    not_match = { '  ➜  Network: use --host to expose', '  ➜  press h + enter to show help' },
  },
  {
    -- next
    regex = [[✓ Ready in [\d.]+ ?m?s|^ready - started server on ]],
    event = 'ready',
    match = {
      ' \27[32m\27[1m✓\27[22m\27[39m Ready in 1985ms',
      ' ✓ Ready in 2.1s',
      'ready - started server on 0.0.0.0:3000, url: http://localhost:3000',
    },
    not_match = { ' ✓ Starting...', ' ✓ Compiled /page in 2.1s (512 modules)' },
  },
  {
    -- webpack, vue-cli, create-react-app, angular
    regex = [[webpack (?:[\d.]+ )?compiled (?:successfully|with \d+ warning)|Compiled successful]]
      .. [[ly]],
    event = 'ready',
    match = {
      'webpack 5.91.0 compiled \27[1m\27[32msuccessfully\27[39m\27[22m in 1254 ms',
      'webpack compiled with 2 warnings',
      '\27[42m\27[30m DONE \27[39m\27[49m \27[32mCompiled successfully in 1234ms\27[39m',
      '\27[32mCompiled successfully!\27[39m',
      '✔ Compiled successfully.',
    },
    not_match = {
      'webpack 5.91.0 compiled with 1 error in 980 ms',
      '\27[31mFailed to compile.\27[39m',
    },
  },
  {
    -- django
    regex = [[^Starting (?:development|ASGI/\S+ version \S+ development) server at (?P<url>\S+)]],
    event = 'ready',
    match = { 'Starting development server at http://127.0.0.1:8000/' },
    not_match = { 'Watching for file changes with StatReloader' },
  },
  {
    -- php -S, python -m http.server, rocket, bun, jekyll
    regex = [[Development Server \(https?://\S+\) started|^Serving HTTPS? on \S+ port \d+]]
      .. [[|Rocket has launched from |Started development server: http|Server address: http]],
    event = 'ready',
    match = {
      '[Thu May  2 10:12:33 2024] PHP 8.2.7 Development Server (http://localhost:8000) started',
      'Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...',
      '\27[1;34m🚀 Rocket has launched from http://127.0.0.1:8000\27[0m',
      'Started development server: http://localhost:3000',
      '    Server address: http://127.0.0.1:4000/',
    },
    not_match = { '[Thu May  2 10:12:40 2024] 127.0.0.1:53412 Accepted', 'Serving flask app' },
  },
  {
    -- listening on port ..., running at ...: express and its like, flask, uvicorn, gunicorn, puma,
    -- gin, echo, actix, axum, laravel, hugo, deno, phoenix
    regex = [[(?i)\b(?:listening|serving https?|running|started|available)(?: \S+)?(?: with \S+ ]]
      .. [[\S+)? ]]
      .. [[(?:on|at):? *\[?(?:(?P<url>https?://\S+)|port(?:\(s\):)? *\d+|\S*:\d{2,5}\b)]],
    event = 'ready',
    match = {
      'Example app listening on port 3000',
      'Server listening on http://localhost:3000',
      'Server running at http://127.0.0.1:3000/',
      ' * Running on http://127.0.0.1:5000',
      ' * Running on http://127.0.0.1:5000/ (Press CTRL+C to quit)',
      '\27[32mINFO\27[0m:     Uvicorn running on \27[1mhttp://127.0.0.1:8000\27[0m (Press CTRL+C'
        .. ' to quit)',
      '[2024-05-02 10:12:33 +0000] [8] [INFO] Listening at: http://127.0.0.1:8000 (8)',
      '* Listening on http://127.0.0.1:3000',
      '[GIN-debug] Listening and serving HTTP on :8080',
      '2024/05/02 10:12:33 Listening on :8080',
      '⇨ http server started on \27[32m[::]:1323\27[0m',
      'starting service: "actix-web-service-127.0.0.1:8080", workers: 8, listening on: 127.0.0.1'
        .. ':8080',
      '  \27[44;1m INFO \27[49;22m  Server running on \27[1m[http://127.0.0.1:8000]\27[22m.',
      'Web Server is available at http://localhost:1313/ (bind address 127.0.0.1)',
      'Listening on http://0.0.0.0:8000/ (http://localhost:8000/)',
      '[info] Running HelloWeb.Endpoint with Bandit 1.5.0 at 127.0.0.1:4000 (http)',
      '** Angular Live Development Server is listening on localhost:4200, open your browser **',
      '  Tomcat started on port(s): 8080 (http)',
    },
    not_match = {
      'Listening to events on channel updates',
      'running on node 18',
      'Running on 10 workers',
      'Error: listen EADDRINUSE: address already in use :::3000',
      'Will be listening soon',
    },
  },
  {
    -- spring boot, uvicorn
    regex = [[\bStarted \w+ in [\d.]+ seconds \(|Application startup complete]],
    event = 'ready',
    match = {
      '\27[2m2024-05-02T10:12:33.123Z\27[0;39m \27[32m INFO\27[0;39m \27[35m4711\27[0;39m \27[2m'
        .. '---\27[0;39m '
        .. '\27[2m[           main]\27[0;39m \27[36mcom.example.demo.DemoApplication        \27['
        .. '0;39m '
        .. '\27[2m:\27[0;39m Started DemoApplication in 2.345 seconds (process running for 2.71)',
      '\27[32mINFO\27[0m:     Application startup complete.',
    },
    not_match = {
      'com.example.demo.DemoApplication : Starting DemoApplication using Java 21',
      '\27[32mINFO\27[0m:     Waiting for application startup.',
    },
  },
  {
    -- docker compose, and what people start with it; nginx at the level notice
    regex = [[ ✔ Container \S+ +(?:Started|Healthy)|\[notice\] \d+#\d+: start worker processes$|]]
      .. [[database system is ready to accept connections]]
      .. [[|Ready to accept connections|: ready for connections\.]],
    event = 'ready',
    match = {
      ' \27[32m✔\27[0m Container app-web-1  \27[32mStarted\27[0m                    \27[34m0.5s '
        .. '\27[0m',
      'db-1  | 2024-05-02 10:12:33.120 UTC [1] LOG:  database system is ready to accept connecti'
        .. 'ons',
      '2024/05/02 10:12:33 [notice] 8#8: start worker processes',
      '1:M 02 May 2024 10:12:33.120 * Ready to accept connections tcp',
      "2024-05-02T10:12:33.1Z 0 [System] [MY-010931] [Server] /usr/sbin/mysqld: ready for connec"
        .. "tions. Version: '8.4'",
    },
    not_match = {
      ' ✔ Container app-web-1  Created                    0.1s',
      'LOG:  database system is shut down',
    },
  },
  {
    -- watch modes: tsc, jest, vitest, nodemon, esbuild, rollup, parcel
    regex = [[Found 0 errors\. Watching for file changes|^Watch Usage(?:$|: Press)|]]
      .. [[Waiting for file changes\.\.\.]]
      .. [[|\[nodemon\] clean exit - waiting for changes|^\[watch\] build finished|\] waiting fo]]
      .. [[r changes\.\.\.]]
      .. [[|^✨ Built in ]],
    event = 'ready',
    match = {
      '[\27[90m10:12:33 AM\27[0m] Found 0 errors. Watching for file changes.',
      '\27[1mWatch Usage\27[22m\27[2m: Press \27[22mw\27[2m to show more.\27[22m',
      '\27[1mWatch Usage\27[22m',
      '\27[32m PASS \27[39m \27[32mWaiting for file changes...\27[39m',
      '\27[32m[nodemon] clean exit - waiting for changes before restart\27[39m',
      '[watch] build finished, watching for changes...',
      '[2024-05-02 10:12:33] waiting for changes...',
      '\27[32m\27[1m✨ Built in 1.23s\27[22m\27[39m',
    },
    not_match = {
      '[\27[90m10:12:33 AM\27[0m] Found 3 errors. Watching for file changes.',
      '[10:12:30 AM] Starting compilation in watch mode...',
      '[nodemon] app crashed - waiting for file changes before starting...',
      '[nodemon] starting `node app.js`',
    },
  },
}
