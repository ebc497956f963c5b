-- Databases: commands that delete data. Queries are free; other SQL is code that is not analysed.
return {
  {
    id = 'databases.drop',
    decision = 'ask',
    reason = 'This removes a database or a user of it: make one with another name, or let a '
      .. 'person do it.',
    program = 'dropdb dropuser mysqladmin pg_dropcluster pg_resetwal initdb',
    match = { 'dropdb app', 'mysqladmin drop app' },
    not_match = { 'createdb app_test', 'pg_dump app' },
  },
  {
    id = 'databases.flush',
    decision = 'ask',
    reason = 'This deletes what the store holds, or stops it: use one of your own for tests.',
    program = 'redis-cli valkey-cli',
    argument = {
      're:(?i)(?:flushall|flushdb|shutdown|config|debug|replicaof|slaveof|module|script|eval|'
        .. 'del|unlink)',
    },
    match = { 'redis-cli FLUSHALL', 'redis-cli -n 1 flushdb' },
    not_match = { 'redis-cli ping', 'redis-cli get a' },
  },
  {
    id = 'databases.reset',
    decision = 'ask',
    reason = 'This deletes the data of the configured database: migrate it, or point '
      .. 'to one for tests.',
    program = 'rails rake prisma sequelize knex typeorm alembic mix php drizzle-kit supabase',
    argument = {
      'db:drop*', 'db:reset*', 'db:purge*', 'db:truncate*', 'db:schema:load*', 'reset',
      '--force-reset', 'schema:drop', 'ecto.drop', 'ecto.reset', 'migrate:fresh*', 'migrate:reset*',
      'db:wipe', '--accept-data-loss',
    },
    match = { 'rails db:drop', 'npx prisma migrate reset --force', 'php artisan migrate:fresh' },
    not_match = { 'rails db:migrate', 'npx prisma generate', 'php artisan migrate' },
  },
  {
    id = 'databases.remove',
    decision = 'ask',
    reason = 'This deletes data, or stops those who need it: use one of your own for tests.',
    program = {
      'influx', 'zkCli.sh', 'kafka-topics', 'kafka-topics.sh', 'nats', 'mongorestore', 'pg_restore',
      'manage.py', 'python', 'python3', 'dotnet', 'neonctl', 'pscale', 'planetscale', 'turso',
    },
    argument = {
      '--delete', 'deleteall', 'delete', '--drop', '--clean', 'flush', 'reset_db', 'sqlflush',
      'drop', 'destroy', 'rm',
    },
    test = function(command)
      local first = command.argv[2] or ''
      local python = command.program:find('^python')
      return (not python or first:find('manage%.py$') ~= nil)
        and (command.program ~= 'dotnet' or first == 'ef')
    end,
    match = {
      'python manage.py flush --noinput', 'pg_restore --clean -d prod x', 'turso db destroy x',
      'dotnet ef database drop -f', 'kafka-topics.sh --delete --topic x',
    },
    not_match = { 'python manage.py migrate', 'pg_restore -d test x', 'dotnet ef database update' },
  },
  {
    id = 'databases.fed',
    decision = 'ask',
    reason = 'The commands for the store come from another command: write them yourself.',
    program = 'redis-cli valkey-cli',
    fed_by = { '*' },
    match = { 'echo flushall | redis-cli' },
    not_match = { 'redis-cli get a' },
  },
}
