-- An error value that claims to be another's.
-- expect: mine: pretended
error({ code = 'mine', message = 'pretended' })
