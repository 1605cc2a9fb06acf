-- Functions that the filters of a page share. They read files, find the line of a mistake in the page, and report
-- all mistakes in gcc's format when the build of the page fails.
local common = {}

local page = PANDOC_STATE.input_files[1] or 'page'
local complaints = {} -- {line, text}
local used = {}

-- The bytes of a file, or nil. The file becomes a prerequisite of the page (common.finish).
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

-- The number of the first line that contains NEEDLE, or 1. Pandoc itself does not keep line numbers.
local function line_of(needle)
  local number = 0
  for line in common.lines(common.read(page) or '') do
    number = number + 1
    if line:find(needle, 1, true) then return number end
  end
  return 1
end

-- Notes a mistake in the line that contains NEEDLE. The build goes on, to find more mistakes, and then fails.
function common.complain(needle, format, ...)
  complaints[#complaints + 1] = { line = line_of(needle), at = #complaints, text = format:format(...) }
end

local function print_all()
  table.sort(complaints, function(a, b) return a.line < b.line or a.line == b.line and a.at < b.at end)
  for _, one in ipairs(complaints) do
    io.stderr:write(('%s:%d: error: %s\n'):format(page, one.line, one.text))
  end
end

-- Ends the build if there was a mistake. Otherwise writes the page's prerequisites to the file $HANDOUT_DEPS.
function common.finish()
  if #complaints > 0 then
    print_all()
    os.exit(2)
  end
  local path = os.getenv('HANDOUT_DEPS')
  if not path then return end
  local names = {}
  for name in pairs(used) do
    if name ~= page then names[#names + 1] = name end
  end
  table.sort(names)
  local out = assert(io.open(path, 'w'))
  -- Without the empty rule "name:", make would stop at a file that no longer exists.
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

-- The names that exist, for a message about an unknown name.
function common.list(names)
  return #names == 0 and 'it has none' or 'it has ' .. table.concat(names, ', ')
end

return common
