-- A global made by module().
-- expect: script_error: attempt to call global 'module' (a nil value)
module('evil')
