-- Clients of databases and stores. rules/databases.lua knows which servers and commands are asked
-- about; of SQL, what a client's shell would run.
local SQL = {
  values = '-h --host -p --port -U --username -d --dbname -f --file -u --user -D --database -o '
    .. '--output -v --set -n -a -P -S -L --log-file -e --execute -c --command --eval -w -q '
    .. '--query -Q -i --queries-file --url --sql',
  reads = '-f --file -i --queries-file',
  writes = '-o --output -L --log-file',
  hosts = '-h --host',
  runs = {
    {
      how = 'code', language = 'sql',
      from = '-c --command -e --execute --eval -q --query -execute -Q --sql',
    },
    { how = 'stdin', language = 'sql', skip = 9 },
  },
}
local HOSTS = '-h --host -p --port -U --username -d --dbname -u --user -D --database -P -S -w -n'

return {
  ['sqlite3 duckdb'] = {
    single_dash_long = true,
    values = '-cmd -init -separator -nullvalue -mmap -vfs -newline -c -s -f',
    executes = '-init',
    writes = 'first',
    runs = {
      { how = 'code', language = 'sql', from = { 'rest', '-cmd -c -s' } },
      { how = 'stdin', language = 'sql', skip = 1 },
    },
  },
  ['redis-cli valkey-cli keydb-cli iredis'] = {
    values = '-h -p -n -a -u --user --pass -r -i -s --cacert --cert --key -d --pattern -c --eval',
    hosts = '-h',
  },
  ['mongo mongosh'] = {
    values = '--host --port -u --username -p --password --authenticationDatabase --eval -f --file',
    reads = '-f --file',
    hosts = '--host',
    runs = {
      { how = 'code', language = 'mongo', from = '--eval' },
      { how = 'stdin', language = 'mongo', skip = 3 },
    },
  },
  [ [[psql mysql mariadb cqlsh clickhouse-client clickhouse sqlcmd influx pgcli mycli cockroach
    usql litecli osql isql tsql trino presto hive beeline impala-shell spark-sql snowsql vertica
    vsql exaplus nzsql gsql hdbsql monetdb mclient cypher-shell arangosh surreal dolt tidb-server
    ysqlsh ycqlsh sqlline druid questdb sqlplus db2 sql sqlcl bteq isqlplus]] ] = SQL,
  ['mongodump mongoexport mongostat mongotop pg_dump pg_dumpall mysqldump mariadb-dump'] = {
    values = HOSTS .. ' -F --format -t --table -f --file -o --out -c --collection --uri --db '
      .. '--archive -T --exclude-table -N -j --jobs -Z',
    writes = '-f --file -o --out --archive --result-file -r',
    hosts = '-h --host',
  },
  ['pg_restore mongorestore mongoimport mysqlimport mongofiles createdb createuser dropdb dropuser '
    .. 'vacuumdb reindexdb clusterdb mysqladmin mysqlcheck mysqlshow pg_isready pgbench'] = {
    values = HOSTS .. ' -F --format -t --table -f --file -j --jobs --uri --db -O --owner -E -T '
      .. '--timeout',
    hosts = '-h --host',
  },
  ['kafka-topics kafka-topics.sh kafka-console-consumer kafka-console-consumer.sh '
    .. 'kafka-consumer-groups kafka-consumer-groups.sh kafka-configs kafka-configs.sh '
    .. 'kafka-console-producer kafka-console-producer.sh '
    .. 'rabbitmqadmin rabbitmqctl nats zkCli.sh etcdctl'] = {
    values = '--bootstrap-server --topic --group -b -t -p -s --server --endpoints -H -u --vhost -V',
    hosts = '--bootstrap-server -b -s --server -H',
  },
  -- It sends what is in its files.
  ['kcat kafkacat'] = {
    values = '-b -t -p -s -X -o -c -F -k -K -D -l -T -m -u -H -r -z -S -G -d -f',
    hosts = '-b',
    reads = { 'operands', '-l -T -F' },
  },
}
