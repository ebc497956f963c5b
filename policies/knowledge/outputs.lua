-- The output of a command in $( ), as far as it is known in advance: $NAME is a variable, $1 the
-- last word of the command, * something unknown. A key that ends in * stands for any last word, one
-- that ends in ** for any words.
return {
  ['pwd'] = '$PWD',
  ['pwd -P'] = '$PWD',
  ['pwd -L'] = '$PWD',
  ['git rev-parse --show-toplevel'] = '$WORKSPACE',
  ['git rev-parse *'] = '0*',
  ['git rev-parse --short *'] = '0*',
  ['git rev-parse --abbrev-ref *'] = 'branch-*',
  ['git branch --show-current'] = 'branch-*',
  ['git describe **'] = 'v*',
  ['mktemp **'] = '/tmp/tmp.*',
  ['whoami'] = '$USER',
  ['id -u'] = '1000',
  ['id -g'] = '1000',
  ['id -un'] = '$USER',
  ['nproc **'] = '8',
  ['date **'] = '2*',
  ['hostname **'] = 'host-*',
  ['uname **'] = 'Linux*',
  ['arch'] = 'x86_64',
  ['which *'] = '/usr/bin/$1',
  ['command -v *'] = '/usr/bin/$1',
  ['seq **'] = '1*',
  ['go env GOPATH'] = '$HOME/go',
  ['npm bin'] = '$PWD/node_modules/.bin',
}
