-- The smallest image and sound, as base64.
local M = {}

-- One red pixel.
M.png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAA'
    .. 'AElFTkSuQmCC'

-- Four silent samples.
M.wav = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQgAAAAAAAAAAAAAAA=='

return M
