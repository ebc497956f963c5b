---@meta
-- The table `store`: JSON values that survive a reload. Each script file has a namespace of its
-- own. Works only inside a tool call: while scripts load, and in policies, its functions raise.

---@class store
store = {}

---Returns the value of a key, or nil.
---
---Example:
---```lua
---local count = store.get('count') or 0
---store.set('count', count + 1)
---```
---@since 0.1.0
---@param key string not empty
---@return any
function store.get(key) end

---Sets the value of a key. Raises for a value that JSON cannot hold. Returns nil, err with
---value_too_large, store_full.
---
---Example:
---```lua
---local ok, err = store.set('user.ann', { visits = 1 })
---if not ok then tool.error(err.code, err.message) end
---```
---@since 0.1.0
---@param key string not empty
---@param value any not nil; store.delete removes a key
---@return true? ok
---@return Err? err
function store.set(key, value) end

---Removes a key, and returns whether it existed.
---
---Example:
---```lua
---store.set('token', 'abc')
---assert(store.delete('token') == true)
---assert(store.delete('token') == false)
---```
---@since 0.1.0
---@param key string
---@return boolean
function store.delete(key) end

---Returns the keys that begin with a prefix, sorted.
---
---Example:
---```lua
---store.set('user.ben', 1)
---store.set('user.ann', 2)
---assert(table.concat(store.keys('user.'), ' ') == 'user.ann user.ben')
---```
---@since 0.1.0
---@param prefix? string default: all
---@return string[]
function store.keys(prefix) end
