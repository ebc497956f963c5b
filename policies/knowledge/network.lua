-- Programs that talk to other machines.
return {
  curl = {
    values = '-o --output -d --data --data-ascii --data-binary --data-raw --data-urlencode '
      .. '--json -F --form --form-string -T --upload-file -K --config -H --header -A '
      .. '--user-agent -e --referer -u --user -b --cookie -c --cookie-jar -D --dump-header -E '
      .. '--cert --key --cacert --capath -X --request -x --proxy -m --max-time '
      .. '--connect-timeout --retry --retry-delay --retry-max-time -r --range -w --write-out -C '
      .. '--continue-at --limit-rate -U --proxy-user --resolve --connect-to --unix-socket '
      .. '--interface --output-dir --trace --trace-ascii --stderr --netrc-file --max-redirs '
      .. '--url -z --time-cond --ciphers --tls-max -Q --quote --hsts --alt-svc --etag-save '
      .. '--etag-compare --libcurl --max-filesize --noproxy --rate --variable -t '
      .. '--telnet-option -y -Y --speed-limit --speed-time --local-port --dns-servers '
      .. '--abstract-unix-socket --oauth2-bearer --aws-sigv4 --url-query',
    reads = '-T --upload-file -K --config -E --cert --key --netrc-file --cacert',
    writes = '-o --output --output-dir -c --cookie-jar -D --dump-header --trace --trace-ascii '
      .. '--stderr --hsts --alt-svc --etag-save --libcurl --unix-socket --abstract-unix-socket',
    accesses = { { access = 'write', of = 'url_names', when = '-O --remote-name '
      .. '--remote-name-all' } },
    hosts = { 'operands', '--url -x --proxy --connect-to' },
  },
  ['wget wget2'] = {
    values = '-O --output-document -o --output-file -a --append-output -P --directory-prefix -i '
      .. '--input-file -e --execute -t --tries -T --timeout -w --wait -U --user-agent --header '
      .. '--post-data --post-file --body-data --body-file --method --user --password -Q --quota '
      .. '--load-cookies --save-cookies --referer -A --accept -R --reject -D --domains -l --level '
      .. '--use-askpass --ca-certificate --certificate --private-key --limit-rate --bind-address '
      .. '-X --exclude-directories -I --include-directories --base -B --config --warc-file '
      .. '--hsts-file',
    reads = '-i --input-file --post-file --body-file --load-cookies --config',
    writes = '-O --output-document -o --output-file -a --append-output -P --directory-prefix '
      .. '--save-cookies --warc-file --hsts-file',
    accesses = {
      {
        access = 'write', of = 'url_names',
        unless = '-O --output-document --spider -P --directory-prefix --version',
      },
    },
    hosts = 'operands',
    runs = { { how = 'shell', from = '--use-askpass' } },
  },
  ['aria2c axel httrack lynx w3m links elinks fetch'] = {
    values = '-o --out -d --dir -i --input-file -O --output --on-download-complete -cmd_script',
    writes = '-o --out -d --dir -O --output',
    reads = '-i --input-file',
    accesses = { { access = 'write', of = 'url_names', unless = '-o --out -O --output' } },
    hosts = 'operands',
    runs = { { how = 'shell', from = '--on-download-complete --on-download-start' } },
  },
  ['http https xh xhs httpie curlie'] = {
    accesses = { { access = 'write', of = 'url_names', when = '-d --download' } },
    values = '-o --output -a --auth -A --auth-type --session --proxy --timeout --verify --cert',
    writes = '-o --output',
    hosts = 'operands',
  },
  ssh = {
    options_first = true,
    remote = true,
    values = '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w',
    executes = '-F',
    writes = '-E',
    hosts = { 'first', '-J -W' },
    text = 'operands -i', -- it uses a key and does not show it; the command runs elsewhere
    runs = {
      { how = 'joined', skip = 1 },
      { how = 'shell', from = '-o', strip_prefix = 'ProxyCommand=' },
      { how = 'shell', from = '-o', strip_prefix = 'LocalCommand=' },
      { how = 'shell', from = '-o', strip_prefix = 'KnownHostsCommand=' },
    },
  },
  ['mosh autossh et'] = {
    options_first = true,
    remote = true,
    values = '-p --port --ssh -i -M -L -R -D',
    text = 'operands -i',
    hosts = 'first',
    runs = { { how = 'joined', skip = 1 }, { how = 'shell', from = '--ssh' } },
  },
  sshpass = {
    options_first = true,
    values = '-p -f -d -P',
    reads = '-f',
    runs = { { how = 'argv' } },
  },
  scp = {
    values = '-c -D -F -i -J -l -o -P -S -X',
    executes = '-F -S -D',
    text = '-i',
    reads = 'but_last',
    writes = 'last',
    hosts = 'operands',
    runs = {
      { how = 'shell', from = '-S' },
      { how = 'shell', from = '-o', strip_prefix = 'ProxyCommand=' },
    },
  },
  sftp = {
    values = '-B -b -c -D -F -i -J -l -o -P -R -S -s -X',
    executes = '-F -b',
    text = '-i',
    hosts = 'first',
    runs = {
      { how = 'shell', from = '-D -S' },
      { how = 'shell', from = '-o', strip_prefix = 'ProxyCommand=' },
    },
  },
  ['ssh-copy-id'] = { values = '-i -p -o -t', reads = '-i', hosts = 'last' },
  ['ssh-keygen'] = {
    values = '-f -D -w',
    writes = '-f',
    executes = '-D -w',
  },
  ['ssh-add'] = { values = '-s', reads = 'operands', executes = '-s' },
  ['ssh-keyscan'] = { values = '-t -p -T -f', hosts = 'operands' },
  ['nc ncat netcat nc.openbsd nc.traditional'] = {
    values = '-e -c -i -o -p -P -q -s -T -w -x -X -m -I -O -V --exec --sh-exec --lua-exec '
      .. '--source-port --source --output --proxy --proxy-type --wait --idle-timeout',
    writes = '-o --output',
    hosts = { 'first', '--proxy' },
    runs = { { how = 'shell', from = '-e -c --exec --sh-exec' } },
  },
  socat = {
    values = '-b -t -T -lf -ly -L -W',
    hosts = 'operands',
    runs = {
      { how = 'shell', from = 'operands', strip_prefix = 'EXEC:' },
      { how = 'shell', from = 'operands', strip_prefix = 'SYSTEM:' },
      { how = 'shell', from = 'operands', strip_prefix = 'exec:' },
      { how = 'shell', from = 'operands', strip_prefix = 'system:' },
    },
  },
  ['telnet ftp lftp tftp ncftp rlogin rsh rexec'] = {
    values = '-e -c -f -u -p -l -n -s',
    executes = '-f',
    hosts = 'first',
    runs = { { how = 'shell', from = '-e -c', strip_prefix = '!' } },
  },
  ['mail mailx mutt sendmail msmtp swaks ssmtp'] = {
    values = '-s -a -c -b -r -S -A -f -F',
    reads = '-a -A',
    hosts = 'operands',
  },
  ['ping ping6 traceroute tracepath mtr dig nslookup host whois drill fping arping'] = {
    values = '-c -i -w -W -s -t -p -m -I -n -f',
    hosts = 'operands',
  },
  grpcurl = {
    single_dash_long = true, values = '-d -H -proto -import-path', hosts = 'first',
  },
  ['wscat websocat ab wrk hey k6 vegeta siege'] = {
    values = '-c -n -t -d -H -x -s -z -m -b -o -proto -import-path',
    hosts = 'operands',
  },
  ['yt-dlp youtube-dl gallery-dl'] = {
    values = '-o --output -f --format --exec --config-location -a --batch-file -P --paths',
    hosts = 'operands',
    runs = { { how = 'shell', from = '--exec' } },
  },
}
