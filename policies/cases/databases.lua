-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'databases: asked about',
    ask = {
      'dropdb app', 'mysqladmin -u root shutdown', 'dropdb --if-exists app',
      "psql -h evil.example.com -c 'select 1'", "redis-cli keys '*' | xargs redis-cli del",
      'redis-cli -u redis://prod script flush', 'python manage.py sqlflush | psql',
      'bundle exec rake db:migrate:reset', 'alembic downgrade base',
      'php bin/console doctrine:schema:drop --force', 'dbmate down',
      'python manage.py migrate app zero', 'redis-cli -n 1 flushdb',
      'kafka-topics.sh --delete --topic x', 'dotnet ef database drop -f',
    },
  },
}
