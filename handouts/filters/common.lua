-- What the filters of a page share: reading files, telling where in the page something is, and stopping
-- the build with all that is wrong, in gcc's form.
local common = {}

local page = PANDOC_STATE.input_files[1] or 'page'
local complaints = 0
local used = {}

-- The bytes of a file, or nil. What was read becomes a prerequisite of the page (common.finish).
function common.read(path)
  local file = io.open(path, 'rb')
  if not file then return nil end
  local text = file:read('a')
  file:close()
  used[path] = true
  return text
end

-- An iterator over the lines of a text, without their ends.
function common.lines(text)
  return (text:gsub('\r', '') .. (text:match('\n$') and '' or '\n')):gmatch('(.-)\n')
end

-- "page:line" of the first line that holds NEEDLE: pandoc does not keep lines.
local function place(needle)
  local number = 0
  for line in common.lines(common.read(page) or '') do
    number = number + 1
    if line:find(needle, 1, true) then return page .. ':' .. number end
  end
  return page
end

-- Tells what is wrong at the place that has NEEDLE; the build goes on to find more, and then fails.
function common.complain(needle, format, ...)
  complaints = complaints + 1
  io.stderr:write(place(needle), ': error: ', format:format(...), '\n')
end

-- Ends the build if anything was wrong. Else writes the page's prerequisites where $HANDOUT_DEPS says.
function common.finish()
  if complaints > 0 then os.exit(2) end
  local path = os.getenv('HANDOUT_DEPS')
  if not path then return end
  local names = {}
  for name in pairs(used) do
    if name ~= page then names[#names + 1] = name end
  end
  table.sort(names)
  local out = assert(io.open(path, 'w'))
  -- Without the second line, make would stop at a file that is there no more.
  for _, name in ipairs(names) do
    out:write(path:gsub('%.d$', '.json'), ': ', name, '\n', name, ':\n')
  end
  out:close()
end

-- The words of a list "a, b c".
function common.words(text)
  local words = {}
  for word in (text or ''):gmatch('[^%s,]+') do words[#words + 1] = word end
  return words
end

-- The nearest of NAMES to NAME: a misspelt one is most of the time one letter off.
function common.list(names)
  return #names == 0 and 'it has none' or 'it has ' .. table.concat(names, ', ')
end

return common
