-- Tools of single languages and formats that look at what they are given.
return {
  mlr = {
    single_dash_long = true,
    values = '--ifs --ofs --fs --ips --ops --irs --ors --nr-progress-mod --from --prepipe '
      .. '--prepipex --ofmt --load --mload',
    reads = { 'rest', '--from' },
    executes = '--load --mload',
    runs = { { how = 'shell', from = '--prepipe --prepipex' } },
  },
  ['trivy grype syft gitleaks osv-scanner'] = {
    values = '-o --output -f --format --report-path -r --severity --scanners --cache-dir -c '
      .. '--config --file --server --template -t --ignorefile --skip-dirs --skip-files --db',
    reads = '-c --config --ignorefile --template -t',
    writes = '-o --output --report-path -r --file --cache-dir --db',
    hosts = '--server',
  },
  ['jps jcmd jstack jinfo jstat'] = { text = 'operands' },
  tesseract = { reads = 'first', writes = 'second', values = '-l -c --psm --oem --dpi' },
  ['pg_config mysql_config mariadb_config php-config python3-config python-config llvm-config '
    .. 'xml2-config xslt-config curl-config sdl2-config krb5-config gpg-error-config '
    .. 'libgcrypt-config pcre-config pcre2-config icu-config freetype-config k9s '
    .. 'ansible-config sensors modinfo pixi'] = {
    text = 'operands',
  },
}
