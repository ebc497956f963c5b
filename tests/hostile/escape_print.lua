-- The stdout of the host, which may be a protocol.
-- expect: script_error: attempt to call global 'print' (a nil value)
print('{"jsonrpc":"2.0"}')
