-- CVE-2025-46818: the methods of all strings, through their metatable.
-- expect: script_error: attempt to index a boolean value
getmetatable('').__index.find = function()
  return 'evil'
end
