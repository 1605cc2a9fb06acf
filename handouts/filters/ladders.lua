-- All ladders, from the comments at the heads of their sources and from the facts: what each one is about, its rungs,
-- the commands that run it, and what to look at.
--
--   ::: ladders
--   :::
--
-- A head is the source's first comment. Its last paragraph begins with "Look at:".
local common = require 'common'
local facts = require 'facts'

-- The head's two parts, what the ladder is about and what to look at, or nil with a complaint.
local function head_of(name, path)
  local source = common.read(path)
  if not source then return common.complain('ladders', 'ladder "%s" has no file %s', name, path) end
  local head = (source:match('^/%*(.-)%*/') or ''):gsub('\n %*', '\n')
  local about, look = head:match('^(.-)\n%s*\n%s*Look at:(.*)$')
  if not about then
    return common.complain('ladders', '%s: its first comment lacks a last paragraph "Look at: ..."', path)
  end
  return about, look
end

local function prose(text)
  return pandoc.Para(pandoc.utils.blocks_to_inlines(pandoc.read(text, 'markdown').blocks))
end

-- Whether the ladder was also counted by RULES.
local function has_rules(ladder, rules)
  for column in pairs(ladder.columns) do
    if column:match('_' .. rules .. '$') then return true end
  end
  return false
end

local function rungs_of(ladder)
  local titles = {}
  for i, rung in ipairs(ladder.order) do titles[i] = ladder.rungs[rung].title end
  return pandoc.Para { pandoc.Str('Rungs: ' .. table.concat(titles, '; ') .. '.') }
end

local function section(name, ladder)
  local path = 'handouts/ladders/' .. name .. '.cu'
  local about, look = head_of(name, path)
  if not about then return {} end
  local command = 'make run PROGRAM=' .. path .. ' ARGS=counts'
  local commands = { command }
  for _, rules in ipairs { 'g80', 'gt200' } do
    if has_rules(ladder, rules) then commands[#commands + 1] = command .. ' RULES=' .. rules end
  end
  return {
    pandoc.Header(3, { pandoc.Code(name) }, pandoc.Attr('ladder-' .. name)),
    prose(about),
    rungs_of(ladder),
    pandoc.Div({ pandoc.CodeBlock(table.concat(commands, '\n'), pandoc.Attr('', { 'command' })) },
      { class = 'session' }),
    prose('**Look at** ' .. look),
  }
end

local function Div(div)
  if not div.classes:includes('ladders') then return nil end
  local blocks = {}
  for _, name in ipairs(facts.names('::: ladders')) do
    for _, block in ipairs(section(name, facts.ladder(name))) do blocks[#blocks + 1] = block end
  end
  return blocks
end

return { Div = Div }
