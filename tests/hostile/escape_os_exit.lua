-- The host ended.
-- expect: script_error: attempt to index global 'os' (a nil value)
os.exit(1)
