-- Databases and stores: servers elsewhere, and what deletes their data by a word of its own.
-- Queries are free; other SQL is code that is not analysed, wherever it comes from. Servers of this
-- machine are kept away by the sandbox.
local looking = require 'looking'
local set = require('word_set').of

local CLIENTS = [[psql mysql mariadb mongo mongosh cqlsh clickhouse-client clickhouse sqlcmd pgcli
  mycli duckdb sqlite3 cockroach usql litecli osql isql tsql trino presto hive beeline impala-shell
  spark-sql snowsql vsql exaplus nzsql gsql hdbsql mclient cypher-shell arangosh surreal dolt ysqlsh
  ycqlsh sqlline sqlplus db2 sql sqlcl bteq redis-cli valkey-cli keydb-cli iredis influx]]
-- What stands in a word that removes: delete-stack, db:reset, vm.destroy, DeleteCluster.
local REMOVING = set [[delete del destroy terminate purge reset wipe drop erase remove rm truncate
  flush flushall flushdb flushdata clean revoke dropdb downgrade rollback revert undo fresh zap
  deleteall zero sqlflush alter restore reset_db shutdown down redo clear stop]]
-- Names without a dot are those of services beside this one.
local BESIDE = { 'localhost', '127.*', '::1', '[::1]', 're:[^.]*', '/*', '*.local', '*.internal' }

local function removes(word)
  local spaced = word:gsub('(%l)(%u)', '%1-%2'):lower()
  for part in spaced:gmatch('[%w_]+') do
    if REMOVING[part] then
      return true
    end
  end
  return false
end

-- alembic downgrade, rails db:rollback, doctrine:schema:drop, kafka-topics --delete
local function deletes(command)
  local program, first = command.program, command.argv[2] or ''
  if program:find '^python' and not first:find 'manage%.py$'
    or program == 'dotnet' and first ~= 'ef' then
    return false
  elseif program == 'dropdb' or program == 'dropuser' then
    return not looking.is_help(command)
  end
  for at = 2, math.min(#command.argv, 8) do
    local word = command.argv[at]
    local task = program ~= 'rails' and program ~= 'rake' or word:find '[:.]' ~= nil
    local last = word:match '%.(%l+)$' -- reset.css is a file; ecto.drop is not
    local named = word:find '^%-?%-?%a[%w_:.-]*$' and (not last or REMOVING[last])
    if task and named and removes(word) or word:find '^db:s%l+:load$' or word == 'db:setup:all'
      or word:find '^%-%-accept%-data%-loss' or word:find '^%-%-force%-reset' then
      return true
    end
  end
  return false
end

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
    id = 'databases.reset',
    decision = 'ask',
    reason = 'This deletes data of the configured database, or takes migrations back: migrate it '
      .. 'forward, or point to one for tests.',
    program = [[rails rake prisma sequelize sequelize-cli knex typeorm mikro-orm alembic mix php
      drizzle-kit supabase flask django-admin flyway liquibase dbmate diesel sqlx sea-orm-cli atlas
      goose migrate symfony artisan console wp drush node-pg-migrate db-migrate umzug doctrine phinx
      yii hanami padrino ecto manage.py python python3 dotnet dropdb dropuser mysqladmin redis-cli
      valkey-cli keydb-cli etcdctl zkCli.sh kafka-* nats rabbitmqctl rabbitmqadmin neo4j-admin
      influx]],
    test = deletes,
    match = { 'rails db:drop', 'npx prisma migrate reset --force', 'php artisan migrate:fresh' },
    not_match = {
      'rails db:migrate', 'npx prisma generate', 'php artisan migrate', 'alembic upgrade head',
      'rails generate migration RemoveName', 'mix test', 'redis-cli get a',
      'python manage.py migrate', 'dotnet ef database update', 'kafka-topics.sh --list',
    },
  },
}
