-- A command of the host.
-- expect: script_error: attempt to index global 'os' (a nil value)
os.execute('true')
