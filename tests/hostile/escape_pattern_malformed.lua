-- Patterns that end in the middle.
-- expect: ok
local patterns = {
  '%', '[', '[a', '[%', '[^', '(', '(()', ')',
  '%f', '%b', '%bx', '%1', '(a)%2', '[a-', '[]', '[^]',
}
for _, pattern in ipairs(patterns) do
  pcall(string.find, 'abc', pattern)
  pcall(string.gsub, 'abc', pattern, '%1%9%')
end
