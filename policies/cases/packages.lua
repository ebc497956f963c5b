-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'packages: asked about',
    ask = {
      'BROWSER=./x npm login', 'cargo owner --add x', 'npm install -g x',
      'go install example.com/x@latest', 'brew install jq', 'nix-env -iA nixpkgs.x', 'npm publish',
      'npm publish --access public', 'twine upload dist/*', 'helm push x.tgz oci://r', 'npx np',
      'python3 -m twine upload dist/*', 'apt-get install jq', 'dnf -y install jq', 'pacman -Syu',
      'cargo install ripgrep', 'rustup default nightly',
      'uv tool install ruff', 'pip install --user x',
    },
  },
}
