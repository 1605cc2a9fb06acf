-- Facts: measured figures, one in a sentence or many in a table. They come from the file $HANDOUT_FACTS
-- (handouts/ladders/facts.py), whose keys are ladder.rung.column:
--
--   `sumsq.grid.time_h100`{.fact}                                  6.6 µs
--   `sumsq.one-thread.time_h100`{.fact as="ratio:sumsq.grid.time_h100"}   1,900: the ratio of the two
--   ::: {.facts of="sumsq" columns="rung,then,time_h100" rungs="one-thread,grid"}
--   The table's caption.
--   :::
--   ::: {.recorded of="crossover" on="h100"}
--   Shown once the ladder's times are recorded on that device.
--   :::
local common = require 'common'

local facts

-- The facts, read when a page first asks for one.
local function load_facts(needle)
  if facts then return facts end
  local path = os.getenv('HANDOUT_FACTS') or ''
  local text = common.read(path)
  if text then
    facts = assert(load(text, path))()
  else
    common.complain(needle, 'there are no facts: no file "%s"', path)
    facts = { chips = {}, devices = {}, ladders = {} }
  end
  return facts
end

local function keys(of)
  local list = {}
  for key in pairs(of) do list[#list + 1] = key end
  table.sort(list)
  return list
end

-- --- numbers for people ------------------------------------------------------------------------------

local thin = '\u{202f}' -- a narrow space without a line break, between a number and its unit

-- 1048576 becomes 1,048,576.
local function grouped(digits)
  local whole, rest = digits:match('^(-?%d+)(.*)$')
  local count
  repeat whole, count = whole:gsub('^(-?%d+)(%d%d%d)', '%1,%2') until count == 0
  return whole .. rest
end

-- A whole number as it is; others with at least DIGITS significant digits, without zeros at the end.
local function number(value, digits)
  if type(value) ~= 'number' then return tostring(value) end
  if value == math.floor(value) and (digits or 3) > 2 then return grouped(('%.0f'):format(value)) end
  local magnitude = value == 0 and 0 or math.floor(math.log(math.abs(value), 10) + 1e-12)
  local decimals = (digits or 3) - 1 - magnitude
  if decimals <= 0 then -- 1,876 with two digits is 1,900
    local step = digits and 10 ^ -decimals or 1
    return grouped(('%.0f'):format(math.floor(value / step + 0.5) * step))
  end
  local text = ('%.' .. decimals .. 'f'):format(value)
  return (text:gsub('%.?0+$', ''))
end

-- Only these units follow the number. The sentence itself names others, such as "instructions".
local symbols = { ['ns'] = true, ['µs'] = true, ['%'] = true, ['GB/s'] = true, ['GFLOP/s'] = true }

local function with_unit(value, unit)
  if unit == 'µs' and type(value) == 'number' then
    if value >= 1e6 then value, unit = value / 1e6, 's' elseif value >= 1e3 then value, unit = value / 1e3, 'ms' end
    return number(value) .. thin .. unit
  end
  return number(value) .. (symbols[unit] and thin .. unit or '')
end

-- --- one fact ----------------------------------------------------------------------------------------

local function unit_of(ladder, column)
  local described = ladder.columns[column]
  return described and described.unit or ''
end

-- The value of "ladder.rung.column" and its unit, or nil with a complaint.
local function look_up(key, needle)
  local all = load_facts(needle)
  local name, rung, column = key:match('^([^.]+)%.(.+)%.([^.]+)$')
  local ladder = name and all.ladders[name]
  if not ladder then
    return common.complain(needle, 'no fact "%s": the ladders are %s', key, table.concat(keys(all.ladders), ', '))
  end
  local row = ladder.rungs[rung]
  if not row then
    return common.complain(needle, 'no fact "%s": the rungs of %s are %s', key, name,
      table.concat(ladder.order, ', '))
  end
  if row[column] == nil then
    return common.complain(needle, 'no fact "%s": that rung has %s', key, table.concat(keys(row), ', '))
  end
  return row[column], unit_of(ladder, column)
end

-- The chip for which a column's times are predicted, or nil.
local function chip_of(column)
  return column:match('^predicted') and facts.chips[column:match('[^_]+$')]
end

-- The source of a column's figures.
local function origin(column)
  local chip = chip_of(column)
  if chip then return 'predicted by the emulator when this page was made, for the ' .. chip.title end
  for name, device in pairs(facts.devices) do
    if column:match('_' .. name .. '$') then
      return ('measured on %s, %s'):format(device.device or name, device.date or 'no date')
    end
  end
  return column == 'then' and 'as reported in 2007' or 'counted by the emulator when this page was made'
end

local function Code(code)
  if not code.classes:includes('fact') then return nil end
  local key, as = code.text, code.attributes.as
  local value, unit = look_up(key, code.text)
  if value == nil then return nil end
  local shown
  if as then
    local other = as:match('^ratio:(.+)$')
    if not other then return common.complain('as="' .. as, 'a fact can only be shown as="ratio:ladder.rung.column"') end
    local divisor = look_up(other, other)
    if divisor == nil then return nil end
    if type(value) ~= 'number' or type(divisor) ~= 'number' or divisor == 0 then
      return common.complain('as="' .. as, 'no ratio of %s and %s', tostring(value), tostring(divisor))
    end
    shown = number(value / divisor, 2)
  else
    shown = code.attributes.unit == 'none' and number(value) or with_unit(value, unit)
  end
  return pandoc.Span({ pandoc.Str(shown) }, { class = 'fact', title = key .. ': ' .. origin(key:match('[^.]+$')) })
end

-- --- a table -------------------------------------------------------------------------------------------

-- Aligns the decimal points of a column: adds invisible digits to shorter numbers. Turns the texts into inlines.
local function align_points(cells, numeric)
  local most = 0
  for _, text in ipairs(cells) do most = math.max(most, #(text:match('%d(%.%d+)$') or '')) end
  for i, text in ipairs(cells) do
    local lacks = ('.000000'):sub(1 + #(text:match('%d(%.%d+)$') or ''), most)
    cells[i] = { pandoc.Str(text) }
    if numeric and text:match('%d$') and lacks ~= '' then
      cells[i][2] = pandoc.Span({}, { class = 'unseen', ['data-text'] = lacks })
    end
  end
end

local function heading(ladder, column)
  local described, unit = ladder.columns[column], unit_of(ladder, column)
  return (described and described.title or column:gsub('_', ' ')) .. (unit ~= '' and ', ' .. unit or '')
end

-- The inlines of one column for these rungs, and whether they are numbers.
local function column_of(ladder, rungs, column)
  local cells, numeric = {}, false
  for i, rung in ipairs(rungs) do
    local value = column == 'rung' and (ladder.rungs[rung].title or rung) or ladder.rungs[rung][column]
    numeric = numeric or type(value) == 'number'
    cells[i] = value == nil and '–' or number(value)
  end
  align_points(cells, numeric)
  return cells, numeric
end

-- A line that names the devices of these columns' times and the chips of predicted ones, or nil.
local function sources(columns)
  local said, list, lines = {}, {}, {}
  for _, column in ipairs(columns) do
    local device, chip = facts.devices[column:match('[^_]+$')], chip_of(column)
    if chip then
      lines[1] = ('Predicted by the emulator for the %s%s.'):format(chip.title, chip.measured and ''
        or ', whose constants nobody has measured for Lanewise')
    elseif device and not said[device] and column:find('_') then
      said[device] = true
      list[#list + 1] = ('%s, driver %s, %s, %s'):format(device.device, device.driver, device.toolkit, device.date)
    end
  end
  if #list > 0 then table.insert(lines, 1, 'Measured on ' .. table.concat(list, '; ') .. '.') end
  return #lines > 0 and table.concat(lines, ' ') or nil
end

-- Whether COLUMN's device was recorded before there was this ladder (facts.py: "# without: LADDER").
local function is_unrecorded(of, column)
  local device = facts.devices[column:match('[^_]+$')] or {}
  return (' ' .. (device.without or '') .. ' '):find(' ' .. of .. ' ', 1, true) ~= nil
end

local gap = 'Not timed yet: make record-ladders does it, on a machine with a GPU.'

local function gap_line()
  return pandoc.Para { pandoc.Span({ pandoc.Str(gap) }, { class = 'where' }) }
end

-- Runs before all other filters, because the facts in such a part do not exist before the recording.
local function if_recorded(div)
  if not div.classes:includes('recorded') then return nil end
  local of, on = div.attributes.of or '', div.attributes.on or ''
  local needle = 'of="' .. of .. '" on="' .. on .. '"'
  if not load_facts(needle).ladders[of] or not facts.devices[on] then
    return common.complain(needle, 'no ladder "%s", or no device "%s"', of, on)
  end
  return is_unrecorded(of, 'time_' .. on) and { gap_line() } or div.content
end

-- These columns without those that are not recorded yet, and whether there are such columns.
local function recorded(of, columns)
  local kept = {}
  for _, column in ipairs(columns) do
    if not is_unrecorded(of, column) then kept[#kept + 1] = column end
  end
  return kept, #kept < #columns
end

local function has_column(ladder, column)
  if column == 'rung' then return true end
  for _, row in pairs(ladder.rungs) do
    if row[column] ~= nil then return true end
  end
  return false
end

local function Div(div)
  if not div.classes:includes('facts') then return nil end
  local of = div.attributes.of or ''
  local needle = 'of="' .. of .. '"'
  local ladder = load_facts(needle).ladders[of]
  if not ladder then
    return common.complain(needle, 'no facts of "%s": the ladders are %s', of, table.concat(keys(facts.ladders), ', '))
  end
  local rungs = div.attributes.rungs and common.words(div.attributes.rungs) or ladder.order
  for _, rung in ipairs(rungs) do
    if not ladder.rungs[rung] then
      return common.complain(rung, '%s has no rung "%s"; its rungs are %s', of, rung, table.concat(ladder.order, ', '))
    end
  end
  local columns, has_gap = recorded(of, common.words(div.attributes.columns or 'rung'))
  local headers, aligns, widths, rows = {}, {}, {}, {}
  for i = 1, #rungs do rows[i] = {} end
  for c, column in ipairs(columns) do
    if not has_column(ladder, column) then
      common.complain(needle, 'no rung of %s has a column "%s"', of, column)
    end
    local cells, numeric = column_of(ladder, rungs, column)
    headers[c] = { pandoc.Plain { pandoc.Str(heading(ladder, column)) } }
    aligns[c], widths[c] = numeric and pandoc.AlignRight or pandoc.AlignLeft, 0
    for r, cell in ipairs(cells) do rows[r][c] = { pandoc.Plain(cell) } end
  end
  headers[1] = columns[1] == 'rung' and { pandoc.Plain {} } or headers[1]
  local caption = div.content[1] and div.content[1].content or {}
  local blocks = { pandoc.utils.from_simple_table(pandoc.SimpleTable(caption, aligns, widths, headers, rows)) }
  local source = sources(columns)
  if source then blocks[2] = pandoc.Para { pandoc.Span({ pandoc.Str(source) }, { class = 'where' }) } end
  if has_gap then blocks[#blocks + 1] = gap_line() end
  return pandoc.Div(blocks, { class = 'facts' })
end

-- For ladders.lua: the names of all ladders, and the facts of one of them.
local function names(needle)
  return keys(load_facts(needle).ladders)
end

local function ladder(name)
  return facts.ladders[name]
end

return { Code = Code, Div = Div, if_recorded = if_recorded, names = names, ladder = ladder }
