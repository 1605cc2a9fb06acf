-- Every message that the kit prints, each with the advice and a program that has it:
--
--   ::: {.messages of="findings"}      the findings, by the tool that detects them (gpu/findings.def), with the
--   :::                                programs of grader/tests/advice
--   ::: {.messages of="checks"}        the checks of the labs, as their checks.c declares them, with the mutants
--   :::                                that lose points there
--   ::: {.messages of="points" lab="04"}
--   :::                                what each check of a lab is worth
local common = require 'common'

-- --- text ------------------------------------------------------------------------------------------------

-- Appends the WORD of a sentence; words that only a program has are code.
local function append_word(list, word)
  local open, body, rest = word:match('^(%(?)(.-)([%.,:;?]*)$')
  if body:match('[_%[%]<>=*{}|]') or body:match('%(%)') or body:match('%l%u') then
    for _, part in ipairs { pandoc.Str(open), pandoc.Code(body), pandoc.Str(rest) } do list[#list + 1] = part end
  else
    list[#list + 1] = pandoc.Str(word)
  end
end

-- TEXT as inlines. Text between backquotes becomes code.
local function inlines(text)
  local list = {}
  for plain, code in (text .. '``'):gmatch('([^`]*)`([^`]*)`') do
    for space, word in plain:gmatch('(%s*)(%S*)') do
      if space ~= '' then list[#list + 1] = pandoc.Space() end
      if word ~= '' then append_word(list, word) end
    end
    if code ~= '' then list[#list + 1] = pandoc.Code(code) end
  end
  return list
end

local function cell(text) return { pandoc.Plain(inlines(text)) } end
local function code_cell(text) return { pandoc.Plain { pandoc.Code(text) } } end

-- A table with these headings; each row is a list of cells.
local function make_table(headings, widths, rows)
  local heads, aligns = {}, {}
  for i, heading in ipairs(headings) do
    heads[i], aligns[i] = { pandoc.Plain { pandoc.Str(heading) } }, pandoc.AlignLeft
  end
  return pandoc.utils.from_simple_table(pandoc.SimpleTable({}, aligns, widths, heads, rows))
end

-- The C string literals of TEXT.
local function literals(text)
  local list = {}
  for literal in text:gsub('\\"', '\1'):gmatch('"([^"]*)"') do
    list[#list + 1] = literal:gsub('\1', '"'):gsub('\\n', '\n')
  end
  return list
end

-- The files of a shell's pattern, sorted.
local function files(pattern)
  local names, pipe = {}, assert(io.popen('ls ' .. pattern .. ' 2>/dev/null'))
  for name in pipe:lines() do names[#names + 1] = name end
  pipe:close()
  return names
end

-- --- findings --------------------------------------------------------------------------------------------

-- The rows of findings.def: {id, tool, severity, title, help, text}.
local function kinds()
  local list = {}
  local text = '\n' .. common.read('grader/gpu/findings.def'):gsub('/%*.-%*/', '')
  for row in text:gsub('\nF%(', '\1'):gmatch('\1([^\1]*)') do
    local words = literals((row:gsub('"%s*\n%s*"', '')))
    list[#list + 1] = { id = words[1], tool = words[2], severity = words[3], title = words[4], help = words[5], text = words[6] }
  end
  return list
end

-- The recorded examples of each finding: {id: list of {name, says, advice, path}}.
local function examples()
  local found = {}
  for _, path in ipairs(files('grader/tests/advice/*.diff')) do
    local text, name = common.read(path), path:match('([^/]+)%.diff$')
    local id, says, advice = text:match('finding: ([^\n]*)\nsays: ([^\n]*)\nadvice: ([^\n]*)\n')
    local own = path:gsub('%.diff$', '.cu')
    local program = common.read(own) and own or ('grader/report/examples/%s.cu'):format(name)
    if id and name then
      found[id] = found[id] or {}
      table.insert(found[id], { name = name, says = says, advice = advice, program = program })
    end
  end
  return found
end

local function describe_kind(kind, list)
  local blocks = {
    pandoc.Header(3, { pandoc.Code(kind.id) }, pandoc.Attr(kind.id)),
    pandoc.Para(inlines(('%s: %s. %s'):format(kind.severity:gsub('^%l', string.upper), kind.title, kind.text))),
  }
  local rows = {}
  for _, one in ipairs(list or {}) do
    rows[#rows + 1] = { cell(one.says), cell(one.advice), code_cell(one.program:match('([^/]+)$')) }
  end
  if #rows > 0 then
    blocks[#blocks + 1] = make_table({ 'it says', 'it advises', 'in the program' }, { 0.4, 0.4, 0.2 }, rows)
  else
    blocks[#blocks + 1] = pandoc.Para(inlines('Advice: ' .. kind.help .. '.'))
  end
  return blocks
end

local tools = { counters = 'Losses, from the counters', runtime = 'The runtime library' }

local function findings()
  local blocks, tool, by_id = {}, nil, examples()
  for _, kind in ipairs(kinds()) do
    if kind.tool ~= tool then
      tool = kind.tool
      blocks[#blocks + 1] = pandoc.Header(2, pandoc.Str(tools[tool] or 'Errors, from ' .. tool), pandoc.Attr(tool))
    end
    for _, block in ipairs(describe_kind(kind, by_id[kind.id])) do blocks[#blocks + 1] = block end
  end
  return blocks
end

-- --- checks ----------------------------------------------------------------------------------------------

-- The checks of LAB as its runner declares them: a list of {id, title, hint, max_points, where}.
local function checks_of(lab)
  local list = {}
  common.read(('labs/%s/checks.c'):format(lab))
  local pipe = assert(io.popen(('build/checks/%s --describe'):format(lab)))
  for line in pipe:lines() do
    local key, value = line:match('^      "([%a_]+)": "?(.-)"?,?$')
    if key == 'id' then list[#list + 1] = {} end
    if key then list[#list][key] = value:gsub('\\"', '"'):gsub('\\\\', '\\') end
  end
  pipe:close()
  return list
end

-- The mutants of LAB that lose points in each check: {check's id: list of names}.
local function losers(lab)
  local found = {}
  for _, path in ipairs(files(('grader/tests/mutants/%s/*.diff'):format(lab))) do
    local losses = common.read(path):match('\nloses: ([^\n]*)')
    for id in losses:gmatch('([%l-]+%d?) ?[%d.]*,?') do
      found[id] = found[id] or {}
      table.insert(found[id], path:match('([^/]+)%.diff$'))
    end
  end
  return found
end

local function checks()
  local blocks = {}
  for _, path in ipairs(files('labs/*/checks.c')) do
    local lab, rows = path:match('labs/([^/]+)/'), {}
    local by_id = losers(lab)
    for _, check in ipairs(checks_of(lab)) do
      local names = by_id[check.id] or {}
      local more = #names > 3 and (', and %d more'):format(#names - 3) or ''
      rows[#rows + 1] = { cell(check.title), cell(check.hint or ''), cell(table.concat(names, ', ', 1, math.min(3, #names)) .. more) }
    end
    blocks[#blocks + 1] = pandoc.Header(3, pandoc.Str('Lab ' .. lab:match('^%d+')), pandoc.Attr('lab-' .. lab:match('^%d+')))
    blocks[#blocks + 1] = make_table({ 'check', 'it advises', 'lost by the mutants' }, { 0.3, 0.45, 0.25 }, rows)
  end
  return blocks
end

-- What each check of the lab with this NUMBER is worth. Some checks are only for one kind of device.
local function points(number)
  local where = { ['emulator-only'] = 'without a GPU', ['gpu-only'] = 'with a GPU' }
  local path = files(('labs/%s-*/checks.c'):format(number))[1]
  if not path then return common.complain(number, 'no lab has this number') end
  local rows = {}
  for _, check in ipairs(checks_of(path:match('labs/([^/]+)/'))) do
    local title = where[check.where] and ('%s (%s)'):format(check.title, where[check.where]) or check.title
    rows[#rows + 1] = { cell(title), cell(('%g'):format(check.max_points)) }
  end
  return make_table({ 'check', 'points' }, { 0.85, 0.15 }, rows)
end

local function Div(div)
  if not div.classes:includes('messages') then return nil end
  local of = div.attributes.of
  if of == 'findings' then return findings() end
  if of == 'checks' then return checks() end
  if of == 'points' then return points(div.attributes.lab or '') end
  return common.complain('messages', 'messages of="findings", of="checks" or of="points" lab="NN"')
end

return { Div = Div }
