-- Programs of everyday work: they run in the sandbox `build`, with the network, whatever their
-- options. What is not known has no network. A team adds its own:
-- { id = 'ours.frob', decision = 'allow', program = 'frob', match = { 'frob' } }
return {
  {
    id = 'known.shell',
    decision = 'allow',
    program = [[cd pushd popd chdir echo print printf true false : test [ dirs pwd jobs exit
      logout return break continue shift wait times sleep usleep seq expr let read mapfile
      readarray export declare typeset local readonly unset set shopt umask ulimit getopts yes tty
      stty compgen help bg fg disown alias unalias trap history source . eval exec builtin command
      type hash enable complete suspend kill env printenv time timeout gtimeout nice ionice nohup
      setsid stdbuf unbuffer xargs parallel watch watchexec entr script flock chronic taskset chrt
      prlimit faketime fakeroot eatmydata which whereis date getconf locale logger tput clear
      reset]],
    match = { 'cd src', 'echo "---"', 'export NODE_ENV=test', 'sleep 5 & kill $!' },
  },
  {
    id = 'known.files',
    decision = 'allow',
    program = [[ls dir vdir gls exa eza lsd tree find gfind fd fdfind file stat readlink realpath
      dirname basename pathchk namei du dust dua df mkdir cp mv rm rmdir unlink touch ln install
      tee truncate split csplit patch chmod chgrp mktemp rename mmv file-rename dos2unix unix2dos
      dd rsync tar gtar bsdtar cpio pax zip unzip zipinfo gzip gunzip pigz bzip2 bunzip2 pbzip2 xz
      unxz zstd unzstd lz4 lzip lzma lzop compress uncompress brotli 7z 7za 7zr 7zz p7zip unar
      lsar unrar ar sponge lsattr getfacl getfattr fallocate mkfifo rimraf trash trash-put locate
      plocate ncdu fdupes rdfind jdupes genisoimage mksquashfs xorriso inotifywait inotifywatch
      sync]],
    match = { 'mkdir -p build', 'rm -rf dist', 'tar xzf x.tgz', 'find . -delete' },
  },
  {
    id = 'known.text',
    decision = 'allow',
    program = [[cat tac nl head tail less more most pg bat batcat rev expand unexpand paste comm
      fold fmt pr wc cksum sum b2sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum md5
      shasum column colrm look strings hexdump hd xxd od zcat zless zmore bzcat xzcat lz4cat
      zstdcat cut tr uniq join sort tsort shuf diff sdiff diff3 cmp colordiff delta difft icdiff
      wdiff jq gojq jaq yq xq dasel base64 base32 basenc iconv recode envsubst man apropos whatis
      info cloc tokei scc glow mdcat numfmt factor bc dc units cal gron mlr csvcut csvgrep csvstat
      csvlook csvjson csvsort csvjoin csvstack csvformat in2csv grep egrep fgrep zgrep bzgrep
      xzgrep ggrep rgrep pcregrep pcre2grep rg ag ack ast-grep sg sed gsed awk gawk mawk nawk
      xmllint xmlstarlet xsltproc tidy pandoc fzf m4 vim vi nvim nano ed ex emacs crunch figlet
      cowsay lolcat pv moreutils ts vipe combine ifne isutf8 uuencode uudecode sdiff groff troff
      col ul]],
    match = { 'sed -i s/a/b/ x', "awk '{print $1}' a > b", 'sort --compress-program=x a',
      'grep -rn foo src | head -20' },
  },
  {
    id = 'known.machine',
    decision = 'allow',
    program = [[whoami logname id groups users who w last lastlog uptime uname arch nproc free
      vmstat iostat mpstat sar lscpu lsblk lsusb lspci lsmem lsmod modinfo lsof fuser ps pstree
      pgrep pkill killall pidof pwdx pmap top htop btop ss netstat getent ldd nm objdump readelf
      size c++filt addr2line ipcs lsns findmnt lslocks lsb_release hostname hostnamectl
      timedatectl sw_vers nvidia-smi sensors ip ifconfig route arp ping ping6 fping dig nslookup
      host drill whois dog doggo kdig traceroute tracepath mtr nc ncat netcat nc.openbsd
      nc.traditional socat tcping telnet iperf iperf3 dpkg dpkg-query dpkg-deb apt-cache apt-file
      rpm rpmquery pacman pkg-config pkgconf tmux screen xvfb-run Xvfb xclip xsel pbcopy pbpaste
      notify-send strace ltrace perf valgrind heaptrack gdb lldb rr gcore gprof bpftrace hyperfine
      time uuidgen unshare nsenter bwrap setpriv capsh proot chroot mount umount]],
    match = { 'ps aux', 'lsof -i :3000', 'ss -ltnp', 'nproc', 'nc -z localhost 5432' },
  },
  {
    id = 'known.git_signs',
    decision = 'allow',
    program = 'git',
    subcommand = 'commit merge rebase cherry-pick revert am pull commit-tree',
    flags = '-S --gpg-sign',
    match = { 'git commit -S -m x', 'git merge -S topic', 'git rebase --gpg-sign main' },
    not_match = { 'git commit -s -m x' },
  },
  {
    id = 'known.git_signs_tags',
    decision = 'allow',
    program = 'git',
    subcommand = 'tag',
    flags = '-s --sign -u --local-user',
    match = { 'git tag -s v1 -m x', 'git tag -u ann v1' },
    not_match = { 'git tag v1', 'git tag -v v1' },
  },
  {
    -- What is signed where the user's git says so: confined.lua asks for that.
    id = 'known.git_commits',
    decision = 'allow',
    program = 'git',
    subcommand = 'commit merge rebase cherry-pick revert am pull',
    without_flags = '--no-gpg-sign --abort --quit --skip',
    match = { 'git commit -m x', 'git merge topic', 'git -C sub commit --amend' },
    not_match = { 'git commit --no-gpg-sign -m x', 'git status', 'git rebase --abort' },
  },
  {
    id = 'known.git',
    decision = 'allow',
    program = 'git git-* tig lazygit gitui git-lfs jj hg svn sl fossil bzr pre-commit lefthook '
      .. 'husky lint-staged commitlint cz commitizen gh glab hub tea',
    match = { 'git add -A && git commit -m x', 'git status', 'git diff > x.patch', 'git pull' },
  },
  {
    id = 'known.build',
    decision = 'allow',
    program = [[make gmake bmake remake cmake cmake3 ctest cpack ninja samu meson bazel bazelisk
      buck2 pants autoreconf autoconf automake aclocal autoheader libtoolize libtool configure gcc
      g++ cc c++ clang clang++ gcc-* g++-* clang-* clang++-* *-gcc *-g++ *-linux-* gfortran nvcc
      icx tcc ld ld.lld lld mold as nasm yasm ranlib strip objcopy rustc rustdoc rustfmt cargo
      cargo-* go gofmt goimports golangci-lint staticcheck gotestsum gopls dlv javac java jar
      javap jps jstack jcmd jinfo jstat jshell mvn mvnw gradle gradlew ant sbt mill lein dotnet
      msbuild nuget swift swiftc swiftformat xcodebuild flutter dart mix rebar3 stack cabal ghc
      ghci runghc runhaskell zig dune ocaml ocamlfind utop just task go-task mage rake nox tox
      invoke inv scons waf protoc protoc-* buf ccache sccache distcc icecc doxygen swig flex bison
      lex yacc cppcheck cpplint include-what-you-use iwyu run-clang-tidy gcov lcov gcovr genhtml
      kcov ctags etags emcc em++ wasm-pack wasmtime wasmer wat2wasm qemu-* esptool esptool.py
      avrdude platformio pio arduino-cli nix-build nix ko kaniko pack icu-config llvm-config
      *-config depmod fastlane gomobile scala-cli forge]],
    match = { 'make -j8', 'cargo test', 'go build ./...', 'cmake --build build' },
  },
  {
    id = 'known.languages',
    decision = 'allow',
    program = [[python python2 python3 python3.* pypy pypy3 ipython ipython3 node nodejs ts-node
      tsx esno swc-node babel-node ruby ruby3* irb jruby perl perl5* php php7* php8* lua luajit
      lua5.* R Rscript r littler julia sh bash dash zsh ksh mksh yash fish ash busybox nu xonsh
      pwsh elixir elixirc iex erl erlc escript groovy groovyc kotlin kotlinc scala scalac clojure
      clj bb racket guile scheme chez sbcl clisp ecl crystal nim nimble raku swipl octave gnuplot
      tclsh wish expect deno bun coffee io factor janet fennel haxe v gleam roc hy micropython
      jython maxima torchrun accelerate deepspeed]],
    match = { 'python3 -m pytest', 'node build.js', 'bash scripts/test.sh' },
  },
  {
    id = 'known.packages',
    decision = 'allow',
    program = [[npm npx pnpm pnpx yarn yarnpkg bunx corepack pip pip2 pip3 pip3.* uv uvx pipx
      poetry pdm hatch flit pipenv rye pixi virtualenv conda mamba micromamba bundle bundler gem
      composer pecl pear cpan cpanm carton luarocks opam rustup pyenv rbenv nodenv nvm fnm volta
      asdf mise rtx sdk jenv direnv conan vcpkg spack pod carthage hex dep govulncheck pip-audit
      pip-compile pip-sync piptools npm-check npm-check-updates ncu depcheck knip]],
    match = { 'npm ci', 'npm test', 'pip install -r requirements.txt', 'npx --version' },
  },
  {
    -- What they run comes from a registry, as what `npm install` runs does.
    id = 'known.of_packages',
    decision = 'allow',
    within = { 'npx', 'bunx', 'pnpx', 'uvx', 'npm exec', 'npm create', 'npm init', 'pnpm dlx',
      'pnpm exec', 'yarn dlx', 'yarn exec', 'bun x', 'uv run', 'uv tool run', 'pipx run',
      'poetry run', 'pdm run', 'pipenv run', 'hatch run', 'rye run', 'bundle exec', 'conda run',
      'cargo run', 'go run', 'dotnet run', 'deno run', 'nix develop', 'pixi run' },
    match = { 'npx some-tool --all', 'poetry run app', 'bundle exec some-tool' },
  },
  {
    id = 'known.checks',
    decision = 'allow',
    program = [[pytest py.test coverage mypy dmypy pyright basedpyright pylint flake8 pyflakes
      pycodestyle pydocstyle bandit ruff black isort autopep8 autoflake yapf pyupgrade vulture
      pytype pyre radon xenon interrogate deptry ty eslint biome oxlint stylelint prettier dprint
      standard xo tsc vue-tsc jest vitest mocha ava tap cypress playwright karma jasmine nyc c8
      webpack rollup vite esbuild parcel swc babel tsup turbo nx lerna gulp grunt next nuxt astro
      svelte-kit svelte-check ng vue react-scripts rspack sass lessc postcss tailwindcss nodemon
      concurrently cross-env cross-env-shell dotenv npm-run-all run-s run-p shellcheck shfmt bats
      hadolint yamllint markdownlint markdownlint-cli2 actionlint luacheck stylua selene busted
      clang-format clang-tidy rubocop rspec rails phpunit phpstan psalm php-cs-fixer pint pest
      semgrep madge cspell codespell typos vale ktlint detekt taplo gersemi cmake-format
      buildifier djlint htmlhint mkdocs sphinx-build sphinx-autobuild hugo jekyll zola mdbook
      typst prove behave cucumber robot locust nosetests errcheck revive nilaway license-checker
      ansible-lint tflint tfsec checkov terraform-docs kubeval kubeconform kustomize kube-linter
      trivy grype syft gitleaks osv-scanner trufflehog lychee muffet linkchecker act lighthouse
      lhci graphql-codegen openapi-generator storybook sb doctest nim-check gofumpt
      google-java-format spotless swiftlint credo dialyzer ormolu hlint fourmolu scalafmt cljfmt
      joker]],
    match = { 'pytest -q', 'eslint . --fix', 'vitest run', 'tsc --noEmit' },
  },
  {
    id = 'known.servers',
    decision = 'allow',
    program = [[uvicorn gunicorn hypercorn daphne waitress-serve celery flask django-admin
      manage.py jupyter jupyter-lab jupyter-notebook nbconvert streamlit gradio serve http-server
      live-server json-server wait-on wait-for-it wait-for-it.sh expo gatsby electron
      electron-builder caddy nginx httpd apache2 php-fpm puma unicorn thin sidekiq foreman
      overmind hivemind pm2 supervisord redis-server valkey-server postgres pg_ctl initdb
      pg_ctlcluster mysqld mariadbd mongod memcached minio rabbitmq-server nats-server mosquitto
      elasticsearch etcd air reflex browser-sync ws chromium chromium-browser google-chrome
      google-chrome-stable firefox chromedriver geckodriver]],
    match = { 'uvicorn app:app --reload', 'serve dist', 'redis-server --port 7000' },
  },
  {
    id = 'known.databases',
    decision = 'allow',
    program = [[psql mysql mariadb mongosh mongo cqlsh clickhouse-client duckdb sqlite3 sqlite
      sqlcmd cockroach usql pgcli mycli litecli pg_isready pg_dump pg_dumpall pg_restore createdb
      createuser dropdb pgbench vacuumdb reindexdb mysqladmin mysqldump mariadb-dump mysqlshow
      mongodump mongorestore mongoexport mongoimport mongostat mongotop redis-cli valkey-cli
      keydb-cli iredis influx trino presto alembic flyway liquibase dbmate diesel sqlx sea-orm-cli
      goose migrate knex typeorm sequelize sequelize-cli drizzle-kit mikro-orm prisma
      node-pg-migrate db-migrate sqlc atlas]],
    match = { "psql -c 'select 1'", 'alembic upgrade head', 'sqlite3 app.db .schema' },
  },
  {
    id = 'known.media',
    decision = 'allow',
    program = [[ffmpeg ffprobe mediainfo exiftool identify pdfinfo pdffonts pdfimages sox soxi
      convert magick mogrify composite montage import rsvg-convert inkscape cwebp dwebp pngquant
      optipng jpegoptim svgo gs qpdf pdftk pdftotext pdftoppm pdftocairo dot neato plantuml mmdc
      asciidoctor asciidoc latex latexmk pdflatex xelatex lualatex tex bibtex biber tesseract
      ocrmypdf img2pdf gifsicle oxipng zopflipng potrace avifenc heif-convert djvutxt antiword
      catdoc libreoffice soffice wkhtmltopdf weasyprint blender openscad gimp espeak festival
      yt-dlp]],
    match = { 'ffmpeg -i a.mp4 b.webm', 'pandoc a.md -o a.pdf && dot -Tsvg a.dot -o a.svg' },
    not_match = { 'ls' },
  },
  {
    id = 'known.network',
    decision = 'allow',
    program = [[curl curlie wget wget2 http https xh xhs httpie aria2c axel lynx w3m links elinks
      grpcurl websocat wscat ab hey wrk k6 vegeta siege openssl ssh-keygen ssh-keyscan gpg age
      sops minisign cosign step mkcert tcpdump tshark nmap]],
    match = { 'curl -fsS http://localhost:3000/health', 'wget https://example.com/data.json' },
  },
  {
    id = 'known.infrastructure',
    decision = 'allow',
    program = 'terraform tofu terragrunt pulumi cdk cdktf serverless sls sam packer helm kustomize '
      .. 'vagrant ansible-doc ansible-galaxy ansible-inventory ansible-config',
    match = { 'terraform fmt', 'terraform validate', 'helm template .' },
  },
  {
    -- Programs and scripts of the workspace, and of temporary directories.
    id = 'known.own',
    decision = 'allow',
    access = 'execute',
    path = 'workspace',
    match = { './configure && true', './gradlew build', './x.sh > out' },
    not_match = { '/tmp/x.sh' },
  },
}
