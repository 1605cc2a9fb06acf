-- Replays: small players that show a recorded launch, moment by moment (handouts/replays/).
--
--   ::: {.replay of="chunks,interleaved" at="5,5" answers="interleaved"}
--   The caption.
--   :::
--
-- `of` names launches of handouts/examples/replays.cu. `at` has the moment of each that paper shows. The sources
-- of `answers` are only in the instructors' pages.
local common = require 'common'

local function includes(list, wanted)
  for _, name in ipairs(list) do
    if name == wanted then return true end
  end
end

local key = pandoc.RawBlock('html', '<p class="key">A lane<span class="lanes"><i class="on"></i> runs now<i class="ready"></i> is ready'
  .. '<i class="wait"></i> waits at a barrier<i class="side"></i> waits for other lanes<i class="gone"></i> has ended</span>. A word'
  .. '<i class="reads"></i> is read now<i class="writes"></i> is written now; a tinted sector is accessed.</p>')

-- The HTML of one launch, or nil with a complaint.
local function replay(name, at, attributes)
  local path = (os.getenv('HANDOUT_REPLAYS') or '') .. '/' .. name
  if not (common.read(path .. '.html') and common.read(path .. '.states')) then
    return common.complain('of="' .. attributes.of, 'no launch is recorded as "%s"', name)
  end
  local answer = includes(common.words(attributes.answers), name) and os.getenv('HANDOUT') ~= 'instructor'
  local command = ('handouts/replays/replay.py %d %s %s 2>&1'):format(tonumber(at) or 1, answer and 'yes' or 'no', path)
  local pipe = assert(io.popen(command, 'r'))
  local html = pipe:read('a')
  if not pipe:close() then return common.complain('of="' .. attributes.of, '%s', html) end
  return pandoc.RawBlock('html', html)
end

local function Div(div)
  if not div.classes:includes('replay') then return nil end
  if not div.attributes.of then return common.complain('.replay', 'a replay names its launches: of="…"') end
  common.read('handouts/replays/replay.py')
  local blocks = { pandoc.RawBlock('html', '<figure class="replay">') }
  local at = common.words(div.attributes.at)
  for i, name in ipairs(common.words(div.attributes.of)) do
    blocks[#blocks + 1] = replay(name, at[i], div.attributes)
  end
  blocks[#blocks + 1] = key
  blocks[#blocks + 1] = pandoc.RawBlock('html', '<figcaption>')
  for _, block in ipairs(div.content) do
    blocks[#blocks + 1] = block.t == 'Para' and pandoc.Plain(block.content) or block
  end
  blocks[#blocks + 1] = pandoc.RawBlock('html', '</figcaption></figure>')
  return pandoc.Div(blocks, { class = 'replays' })
end

return { Div = Div }
