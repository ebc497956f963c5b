-- Databases and stores: commands that change or delete data. Queries are free; other SQL is code
-- that is not analysed, wherever it comes from.
local looking = require 'looking'
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
  local words = looking.words(command)
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

-- Names without a dot are those of services beside this one.
local BESIDE = { 'localhost', '127.*', '::1', '[::1]', 're:[^.]*', '/*', '*.local', '*.internal' }

return {
  {
    id = 'databases.elsewhere',
    decision = 'ask',
    reason = 'This asks a server that the line names, perhaps with passwords, and not one of '
      .. 'development: let a person approve the server.',
    program = CLIENTS .. ' mysqldump pg_dump mongodump mysqlshow',
    not_host = BESIDE,
    match = { "psql -h db.example.com -c 'select 1'", 'redis-cli -h redis.example.com get x' },
    not_match = { "psql -h localhost -c 'select 1'", 'redis-cli -h redis ping', 'psql app -l' },
  },
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
}
