-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'packages: asked about',
    ask = {
      'BROWSER=./x npm login', 'npm login', 'cargo owner --add x', 'npm install -g x',
      'npm i --global x', 'go install example.com/x@latest', 'brew install jq',
      'nix-env -iA nixpkgs.x', 'snap install ./x.snap --dangerous', 'nix-env -e x', 'npm publish',
      'npm publish --access public', 'pnpm publish -r', 'twine upload dist/*',
      'helm push x.tgz oci://r', 'npx np', 'python3 -m twine upload dist/*', 'apt-get install jq',
      'dnf -y install jq', 'pacman -Syu', 'dpkg --configure -a', 'dpkg -i x.deb', 'cargo install x',
      'conan install --requires=x',
    },
  },
}
