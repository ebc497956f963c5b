---@meta
-- The table `store`: JSON values that survive a reload. Each script file has its own namespace.
-- Only inside a tool call: at load time, and in policies, its functions raise.

---@class store
store = {}

---Gives the value of a key, or nil.
---
---Example: `local count = store.get('count') or 0`
---@param key string not empty
---@return any
function store.get(key) end

---Sets the value of a key. Raises for what is no JSON; returns nil, err with value_too_large,
---store_full.
---
---Example: `store.set('count', count + 1)`
---@param key string not empty
---@param value any not nil; store.delete removes a key
---@return true? ok
---@return Err? err
function store.set(key, value) end

---Removes a key, and tells whether it was there.
---
---Example: `store.delete('count')`
---@param key string
---@return boolean
function store.delete(key) end

---Gives the keys that begin with a prefix, sorted.
---
---Example: `for _, key in ipairs(store.keys('user.')) do log.info(key) end`
---@param prefix? string default: all
---@return string[]
function store.keys(prefix) end
