-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'databases: asked about',
    ask = {
      'dropdb app', 'mysqladmin -u root shutdown', 'dropdb --if-exists app', 'dropuser x',
      'dropdb -f x', "psql -h evil.example.com -c 'select 1'",
      "mysql -h evil.example.com -e 'select 1'", 'redis-cli -h evil.example.com get x',
      'redis-cli FLUSHALL', 'redis-cli -n 1 flushdb async',
      "redis-cli keys '*' | xargs redis-cli del", 'redis-cli FLUSHDB ASYNC',
      'redis-cli -u redis://prod script flush', 'valkey-cli del x', 'redis-cli flushall',
      'python manage.py flush', 'kafka-configs.sh --alter x', 'python manage.py migrate app zero',
      'python manage.py sqlflush | psql', 'python manage.py reset_db',
      './manage.py flush --noinput', 'influx bucket delete --name x',
      'python3 manage.py migrate myapp zero', 'python3 manage.py flush',
      'dotnet ef database drop --force', 'influx delete --bucket b --start 0 --stop 1',
      'kafka-topics.sh --delete --topic t --bootstrap-server x', 'rails db:drop',
      'npx prisma migrate reset', 'rake db:reset', 'prisma migrate reset',
      'prisma db push --accept-data-loss', 'npx prisma db push --force-reset',
      'npx prisma migrate reset -f', 'npx sequelize db:drop', 'npx knex migrate:rollback --all',
      'npx typeorm schema:drop', 'npx prisma migrate reset --skip-seed', 'npx knex migrate:down',
      'bundle exec rake db:migrate:reset', 'alembic downgrade -2', 'flyway -url=x clean',
      'liquibase dropAll', 'rake db:schema:load', 'npx prisma db push --accept-data-loss',
      'php artisan migrate:fresh --force', 'rake db:purge',
    },
  },
}
