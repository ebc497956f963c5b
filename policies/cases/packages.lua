-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'packages: asked about',
    ask = {
      'BROWSER=./x npm login', 'npm login', 'npm token create', 'cargo owner --add x',
      'helm registry login x', 'npm token list', 'pnpm login', 'pnpm token create',
      'pnpm owner add a b', 'npm install -g x', 'npm i --global x', 'pnpm add -g x',
      'npm config -g set x y', 'go install example.com/x@latest',
      'go install github.com/a/b@latest', 'go install x/y@v1', 'brew install jq', 'snap install jq',
      'nix-env -iA nixpkgs.x', 'brew install a/b/c', 'brew tap a/b', 'snap remove x',
      'snap install ./x.snap --dangerous', 'nix-env -e x', 'pip install --user x',
      'pip install --break-system-packages x', 'npm publish', 'npm publish --access public',
      'npm unpublish x', 'npm deprecate x y', 'yarn publish', 'yarn npm publish', 'pnpm publish -r',
      'cargo publish', 'cargo yank --version 1.0.0', 'twine upload dist/*', 'gem push x.gem',
      'poetry publish --build', 'uv publish', 'helm push x.tgz oci://r', 'mvn deploy',
      './gradlew publish', 'vsce publish', 'npx lerna publish', 'dotnet nuget push x.nupkg',
      'pod trunk push x', 'helm push x y', 'gem yank x', 'cargo yank x', 'cargo yank --version 1 x',
      'npx np', 'python3 -m twine upload dist/*', 'npx semantic-release', 'apt-get install jq',
      'apt update', 'apt remove jq', 'yum install jq', 'dnf -y install jq', 'apk add jq',
      'apt-get -y autoremove', 'pacman -Syu', 'dpkg --configure -a', 'dpkg -i x.deb',
      'npm dist-tag add x latest', 'cargo install x', 'gem install x', 'pipx install x',
      'rustup default nightly', 'dotnet tool install -g x', 'luarocks install x',
      'luarocks install evil', 'stack install x', 'cabal install x', 'dotnet new install x',
      'conan install --requires=x', 'uv tool install x', 'yarn global add x',
      'composer global require x', 'composer global require a/b',
    },
  },
}
