-- An error value that claims to be somebody else's.
-- expect: mine: pretended
error({ code = 'mine', message = 'pretended' })
