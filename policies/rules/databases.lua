-- Databases and stores: commands that change or delete data. Queries are free; other SQL is code
-- that is not analysed, wherever it comes from.
local verbs = require 'verbs'

local CLIENTS = 'psql mysql mariadb mongo mongosh cqlsh clickhouse-client clickhouse sqlcmd pgcli '
  .. 'mycli duckdb sqlite3 cockroach usql litecli osql isql tsql trino presto hive beeline '
  .. 'impala-shell spark-sql snowsql vsql exaplus nzsql gsql hdbsql mclient cypher-shell arangosh '
  .. 'surreal dolt ysqlsh ycqlsh sqlline sqlplus db2 sql sqlcl bteq redis-cli valkey-cli '
  .. 'keydb-cli iredis influx'

-- Commands of Redis that read, or that add and replace single values.
local REDIS = {}
for name in ([[get mget getrange strlen exists keys scan ttl pttl type object info ping echo llen
  lrange lindex hget hmget hgetall hkeys hvals hlen hexists hscan smembers sismember scard sscan
  srandmember zrange zrevrange zrangebyscore zcard zscore zrank zcount zscan dbsize time lastsave
  memory slowlog command xlen xrange xrevrange xinfo xread xpending pubsub latency lolwut role wait
  geopos geodist geosearch bitcount getbit pfcount touch randomkey dump lpos monitor subscribe
  psubscribe json.get ft.search ft.info ts.get quit hello auth select]]):gmatch('%S+') do
  REDIS[name] = 'reads'
end
for name in ([[set setex setnx psetex mset append incr incrby decr
  decrby lpush rpush hset hsetnx hmset hincrby sadd zadd xadd publish pfadd geoadd
  setbit]]):gmatch('%S+') do
  REDIS[name] = 'adds'
end
-- Sub-commands that only read, by command.
local REDIS_PAIRS = {
  client = 'list info getname id', config = 'get', cluster = 'info nodes slots shards myid',
  acl = 'list whoami users cat', module = 'list', script = 'exists', ['function'] = 'list stats',
  debug = 'object',
}

local function redis_changes(command)
  local words = verbs.operands(command, 2)
  local name, second = (words[1] or ''):lower(), (words[2] or ''):lower()
  if name == '' then
    return false
  end
  local reading = REDIS_PAIRS[name]
  if reading then
    return not (' ' .. reading .. ' '):find(' ' .. second .. ' ', 1, true)
  end
  return not REDIS[name]
end

local function redis_reads(command)
  local words = verbs.operands(command, 1)
  local name = words[1] and words[1]:lower()
  return not redis_changes(command) and #command.argv > 1 and (name == nil or REDIS[name] ~= 'adds')
end

-- SQL from a file: by an option, as an operand, or by a redirection.
local function takes_file(command)
  local wanted = { sqlplus = '^@', mongosh = '%.js$', mongo = '%.js$' }
  local pattern = wanted[command.program]
  for _, index in ipairs(command.operands) do
    if pattern and command.argv[index]:find(pattern) then
      return true
    end
  end
  for _, access in ipairs(command.accesses) do
    local null = table.concat(access.classes, ' '):find('harmless_device', 1, true)
    if access.redirection and access.access == 'read' and not null then
      return true
    end
  end
  for at = 2, #command.argv do
    local word = command.argv[at]
    local short = word:find('^%-[1tAxqXHnEewWs]*f') or word == '-x'
      or word == '-i' and command.program == 'sqlcmd'
    if short and command.program:find('^redis') == nil and word ~= '-x'
      or command.program:find('%-cli$') and (word == '-x' or word == '--pipe' or word == '--eval')
      or word:find('^%-%-file') or word:find('^%-%-queries%-file') then
      return true
    end
  end
  return false
end

-- alembic downgrade, rails db:rollback, doctrine:schema:drop
local function migrates_back(command)
  local program = command.program
  for at = 2, #command.argv do
    local word = command.argv[at]
    local task = word:find('[:.]') ~= nil or program ~= 'rails' and program ~= 'rake'
    if task and not word:find('/', 1, true) and verbs.removes(word)
      or word == 'db:schema:load' or word == 'db:structure:load' or word == 'db:setup:all'
      or word == 'clean' and program == 'flyway' or word == 'zero' and at > 2
      or word == '--force' and program == 'drizzle-kit' or word:find('^%-%-accept%-data%-loss')
      or word:find('^%-%-force%-reset') then
      return true
    end
  end
  return false
end

return {
  {
    id = 'databases.drop',
    decision = 'ask',
    reason = 'This removes a database or a user of it, or gives rights to one: make one with '
      .. 'another name, or let a person do it.',
    program = 'dropdb dropuser createuser mysqladmin pg_dropcluster pg_resetwal initdb pg_rewind '
      .. 'pg_upgrade pg_ctlcluster pg_createcluster',
    not_argument = { 'status', 'ping', 'version', 'processlist', '--version', '--help' },
    match = { 'dropdb app', 'mysqladmin drop app', 'createuser -s x' },
    not_match = { 'createdb app_test', 'pg_dump app', 'mysqladmin status' },
  },
  {
    id = 'databases.flush',
    decision = 'ask',
    reason = 'This deletes or moves what the store holds, changes how it works, or stops it: use '
      .. 'one of your own for tests.',
    program = 'redis-cli valkey-cli keydb-cli iredis',
    test = redis_changes,
    match = {
      'redis-cli FLUSHALL', 'redis-cli -n 1 flushdb', 'redis-cli config set dir /tmp',
      'redis-cli rename a b',
    },
    not_match = { 'redis-cli ping', 'redis-cli get a', 'redis-cli config get dir' },
  },
  {
    id = 'databases.fed',
    decision = 'ask',
    reason = 'The commands for the store come from another command: write them yourself.',
    program = CLIENTS,
    fed_by = { '*' },
    test = function(command)
      -- Output of echo is analysed where it is SQL.
      return command.program:find('%-cli$') ~= nil or command.program == 'iredis'
    end,
    match = { 'echo flushall | redis-cli' },
    not_match = { 'redis-cli get a' },
  },
  {
    id = 'databases.file',
    decision = 'ask',
    reason = 'What this file does to the database is not analysed: let a person approve it, or '
      .. 'give a query as an argument.',
    program = CLIENTS,
    test = takes_file,
    match = {
      'psql -f drop.sql', 'mysql app < dump.sql', 'sqlite3 app.db < x.sql', 'mongosh app x.js',
      'redis-cli -x set a < b',
    },
    not_match = { "psql -c 'select 1'", 'sqlite3 app.db .schema', 'psql -l < /dev/null' },
  },
  {
    id = 'databases.load',
    decision = 'ask',
    reason = 'This overwrites or adds data of a database: use one of your own for tests, or let a '
      .. 'person approve it.',
    program = 'pg_restore mongorestore mongoimport mysqlimport pgloader mongofiles ldapmodify '
      .. 'ldapdelete ldapadd pg_basebackup dexpdp impdp bcp sqlldr',
    test = function(command)
      -- pg_restore -l lists an archive; with -f it writes a script.
      return command.program ~= 'pg_restore'
        or table.concat(command.argv, ' '):find(' %-l') == nil
    end,
    match = { 'pg_restore -d app x', 'mongoimport --drop -c x y.json' },
    not_match = { 'pg_restore -l x.dump', 'mongodump -o out', 'pg_dump app' },
  },
  {
    id = 'databases.reset',
    decision = 'ask',
    reason = 'This deletes data of the configured database, or takes migrations back: migrate it '
      .. 'forward, or point to one for tests.',
    program = 'rails rake prisma sequelize sequelize-cli knex typeorm mikro-orm alembic mix php '
      .. 'drizzle-kit supabase flask django-admin flyway liquibase dbmate diesel sqlx sea-orm-cli '
      .. 'atlas goose migrate symfony artisan console wp drush node-pg-migrate db-migrate umzug '
      .. 'doctrine phinx yii hanami padrino ecto',
    test = migrates_back,
    match = {
      'rails db:drop', 'npx prisma migrate reset --force', 'php artisan migrate:fresh',
      'alembic downgrade base', 'php bin/console doctrine:schema:drop --force', 'dbmate down',
    },
    not_match = {
      'rails db:migrate', 'npx prisma generate', 'php artisan migrate', 'alembic upgrade head',
      'rails generate migration RemoveName', 'mix test',
    },
  },
  {
    id = 'databases.code',
    decision = 'ask',
    reason = 'This runs code against the configured database that is not analysed: write it into '
      .. 'a file of the workspace, and let a person approve the run.',
    program = 'rails prisma php python python3 drush hasura skeema atlas',
    argument = {
      'runner', 'console', 'dbconsole', 'tinker', 'dbshell', 'execute', 'sql-cli', 'push', 'apply',
      'sql:cli', 'sql:query',
    },
    test = function(command)
      local first, second = command.argv[2] or '', command.argv[3] or ''
      if command.program:find('^python') then
        return first:find('manage%.py$') ~= nil and second == 'dbshell'
      end
      if command.program == 'php' then
        return second == 'tinker'
      end
      if command.program == 'prisma' then
        return first == 'db' and second == 'execute'
      end
      return command.program ~= 'rails' or first ~= 'push'
    end,
    match = {
      "rails runner 'User.delete_all'", 'python manage.py dbshell < x.sql',
      'npx prisma db execute --file x.sql',
    },
    not_match = { 'rails server', 'npx prisma db push', 'python manage.py shell' },
  },
  {
    id = 'databases.remove',
    decision = 'ask',
    reason = 'This deletes data, or stops those who need it: use one of your own for tests.',
    program = {
      'influx', 'zkCli.sh', 'kafka-*', 'nats', 'rabbitmqctl', 'rabbitmqadmin', 'etcdctl',
      'manage.py',
      'python', 'python3', 'dotnet', 'neonctl', 'pscale', 'planetscale', 'turso', 'wp',
      'neo4j-admin',
      'curator', 'elasticsearch-*',
    },
    argument = {
      '--delete', 'deleteall', 'delete*', '--drop', '--clean', 'flush', 'reset_db', 'sqlflush',
      'drop', 'destroy', 'rm', '0', 'purge*', 'del', 'reset*', 'zero', 'remove*', '--alter',
      '--execute',
      'install', 'stop*', '--offset-json-file*', 'put', 'clear*', 'delete_*', 'restore',
      '--reset-offsets',
    },
    test = function(command)
      local first = command.argv[2] or ''
      local python = command.program:find('^python')
      if python then
        return first:find('manage%.py$') ~= nil
      end
      return command.program ~= 'dotnet' or first == 'ef'
    end,
    match = {
      'python manage.py flush --noinput', 'python manage.py migrate app zero',
      'turso db destroy x', 'dotnet ef database drop -f', 'kafka-topics.sh --delete --topic x',
    },
    not_match = {
      'python manage.py migrate', 'dotnet ef database update', 'kafka-topics.sh --list',
    },
  },
  {
    id = 'databases.search_index',
    decision = 'ask',
    reason = 'This deletes data of a store: let a person approve it, or use one of your own for '
      .. 'tests.',
    program = 'curl',
    argument = { 're:.*:(?:9200|9201|5984|8529|8123|6333|8108|7700)(?:/.*)?' },
    test = function(command)
      local line = table.concat(command.argv, ' ')
      return line:find('DELETE', 1, true) ~= nil or line:find('_delete_by_query', 1, true) ~= nil
    end,
    match = { 'curl -X DELETE localhost:9200/index' },
    not_match = { 'curl localhost:9200/_cat/indices', 'curl -X DELETE localhost:8080/items/1' },
  },
  {
    id = 'databases.store_reads',
    decision = 'allow',
    program = 'redis-cli valkey-cli keydb-cli iredis',
    only_reads = 'harmless_device',
    test = redis_reads,
    match = {
      'redis-cli get x', 'redis-cli -h localhost info', { command = 'redis-cli ttl a',
      mode = 'plan' },
    },
    not_match = { 'redis-cli get a > b', 'redis-cli set a b', 'redis-cli del a' },
  },
  {
    id = 'databases.store_adds',
    decision = 'allow',
    modes = { 'auto', 'ci' },
    program = 'redis-cli valkey-cli keydb-cli iredis etcdctl kafka-topics kafka-topics.sh '
      .. 'kafka-console-consumer kafka-console-consumer.sh kafka-consumer-groups '
      .. 'kafka-consumer-groups.sh kcat rabbitmqctl nats rabbitmqadmin',
    match = { 'redis-cli set a b', 'kafka-topics.sh --list', 'kcat -L' },
    not_match = { { command = 'redis-cli set a b', mode = 'plan' } },
  },
}
