-- Exercises and answers. Exercises are numbered within a page. Each has a command that tries it; the build runs
-- that command. Only the instructors' pages have answers (HANDOUT=instructor).
--
--   ::: {.exercise make="make grade LAB=01"}
--   ::: {.exercise kind="Question"}
--   ::: answer
local common = require 'common'
local console = require 'console'

local count = 0

local function exercise(div)
  count = count + 1
  local command = div.attributes.make
  local title = pandoc.Plain { pandoc.Span({ pandoc.Str((div.attributes.kind or 'Exercise') .. '\u{a0}' .. count) }, { class = 'kind' }) }
  local blocks = { title }
  for _, block in ipairs(div.content) do blocks[#blocks + 1] = block end
  if command then
    local output, code = console.run(command)
    console.must(command, code, 0, output)
    console.check_command(command)
    blocks[#blocks + 1] = pandoc.CodeBlock(command, pandoc.Attr('', { 'command' }))
  end
  return pandoc.Div(blocks, pandoc.Attr('exercise-' .. count, { 'exercise' }))
end

local function answer(div)
  if os.getenv('HANDOUT') ~= 'instructor' then return {} end
  table.insert(div.content, 1, pandoc.Plain { pandoc.Span({ pandoc.Str('Answer') }, { class = 'kind' }) })
  return div
end

local known = { surprise = true, exercise = true, answer = true, facts = true, messages = true, pages = true, note = true,
  ladders = true, listing = true, recorded = true, session = true,
  replay = true }

local function Div(div)
  if div.classes:includes('exercise') then return exercise(div) end
  for _, class in ipairs(div.classes) do
    if not known[class] then common.complain('::: ' .. class, 'no kind of block is called "%s"', class) end
  end
end

-- `answers` runs last, so that the content of an answer is checked even if the page does not show it.
local answers = { Div = function(div) return div.classes:includes('answer') and answer(div) or nil end }

return { exercises = { Div = Div, traverse = 'topdown' }, answers = answers }
