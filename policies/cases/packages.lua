-- Installing for all users, and publishing.
return {
  {
    name = 'installing for the machine or the user',
    ask = {
      'sudo apt-get install -y jq', 'apt-get install jq', 'apt update', 'apt remove jq',
      'sudo dpkg -i x.deb', 'yum install jq', 'dnf -y install jq', 'apk add jq', 'pacman -Syu',
      'brew install jq', 'snap install jq', 'npm install -g x', 'npm i --global x',
      'yarn global add x', 'pnpm add -g x', 'pip install --user x',
      'pip install --break-system-packages x', 'python3 -m pip install --user x', 'cargo install x',
      'go install example.com/x@latest', 'gem install x', 'pipx install x', 'uv tool install x',
      'conda install x', 'rustup default nightly', 'make install', 'sudo make install',
      'ninja -C build install', 'cmake --install build', 'pip install git+https://example.com/x',
      'npm install https://example.com/x.tgz', 'npm i github:a/b',
      'pip install --index-url http://example.com/simple x', 'pyenv global 3.12',
      'npm config set registry https://example.com', 'pip install -i https://example.com/simple x',
      'composer global require x', 'dotnet tool install -g x', 'luarocks install x',
    },
  },
  {
    name = 'publishing',
    ask = {
      'npm publish', 'npm publish --access public', 'npm unpublish x', 'npm deprecate x y',
      'yarn publish', 'yarn npm publish', 'pnpm publish -r', 'cargo publish',
      'cargo yank --version 1.0.0', 'twine upload dist/*', 'gem push x.gem',
      'poetry publish --build', 'uv publish', 'docker push a/b', 'helm push x.tgz oci://r',
      'mvn deploy', './gradlew publish', 'npm login', 'npm token create', 'cargo owner --add x',
      'docker login', 'npx semantic-release', 'vsce publish', 'npm dist-tag add x latest',
      'npx lerna publish', 'dotnet nuget push x.nupkg', 'pod trunk push x',
    },
    allow = {
      'npm publish --dry-run', 'npm run publish:docs', 'cargo publish --dry-run', 'npm pack',
      'python3 -m build', 'twine check dist/*',
    },
  },
  {
    name = 'databases',
    ask = {
      'dropdb app', 'redis-cli FLUSHALL', 'rails db:drop', 'npx prisma migrate reset',
      "psql -c 'DROP TABLE x'", 'rake db:reset', "mongosh --eval 'db.dropDatabase()'",
    },
    allow = { 'createdb x', 'pg_dump app > dump.sql', 'rails db:migrate', "psql -c 'select 1'" },
  },
}
