-- Commands with their real output: the build runs the command and appends its output.
--
--   ```{.console}
--   $ make grade LAB=01 SEED=42
--   ```
--
-- run="cat …" runs another command than the page shows; with nothing between the fences it runs and shows that
-- command. exit="1" declares the exit code. lines="1-12" shows a part of the output. norun="needs a GPU" runs
-- nothing and gives the reason; the page then has the output between the fences, too. In all code of a page, `make …`
-- and `lanewise …` are checked: an unknown target, variable or command is an error.
local common = require 'common'

-- --- running ---------------------------------------------------------------------------------------------

-- TEXT quoted as one word of the shell.
local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local known = {} -- {command: {output, exit code}}

-- Runs a command as a student would type it, but on fresh skeletons (filters/run.sh). Returns its output and
-- exit code. Each command runs only once for a page, because a second run would have the same output.
local function run(command)
  if known[command] then return table.unpack(known[command]) end
  local pipe = assert(io.popen('handouts/filters/run.sh ' .. quoted(command) .. ' 2>&1', 'r'))
  local output = pipe:read('a')
  local _, _, code = pipe:close()
  known[command] = { output, code }
  return output, code
end

-- The lines of an output, without parts that differ from run to run: seconds, and the remark about an unchanged
-- build. Also leaves out make's remark that a command has failed, because the command itself says why.
local function steady(output)
  local lines = {}
  for line in common.lines((output:gsub(' %(unchanged since the last build%)', ''))) do
    line = line:gsub('^(  %S.*%S)%s+[%d.]+ s$', '%1'):gsub(' in [%d.]+ s([:.])', '%1'):gsub('%s+$', '')
    if not line:find('^make: %*%*%* ') then lines[#lines + 1] = line end
  end
  while lines[1] == '' do table.remove(lines, 1) end
  while lines[#lines] == '' do table.remove(lines) end
  return lines
end

-- The lines of RANGE, "3-12", with dots in place of the lines before and after.
local function part(lines, range, needle)
  if not range then return lines end
  local first, last = range:match('^(%d*)-(%d*)$')
  if not first then
    common.complain(needle, 'lines="%s" should be like "3-12"', range)
    return lines
  end
  first, last = tonumber(first) or 1, tonumber(last) or #lines
  if first > #lines or last > #lines then
    common.complain(needle, 'lines="%s", but the output has only %d lines', range, #lines)
    return lines
  end
  local kept = table.move(lines, first, last, 1, {})
  if first > 1 then table.insert(kept, 1, '…') end
  if last < #lines then kept[#kept + 1] = '…' end
  return kept
end

-- Complains about a command whose exit code is not the declared one, and shows the end of its output.
local function must(command, code, declared, output)
  if code ~= declared then
    output = output:gsub('%s+$', ''):sub(-600)
    common.complain(command, '"%s" exited with %d, not with %d%s', command, code or -1, declared,
      output ~= '' and ':\n' .. output or '')
  end
end

-- --- what the page shows -----------------------------------------------------------------------------------

local function code_block(text, class)
  return pandoc.CodeBlock(text, pandoc.Attr('', { class }))
end

local function session(command, output)
  local blocks = { code_block(command, 'command') }
  if output and output ~= '' then blocks[2] = code_block(output, 'output') end
  return pandoc.Div(blocks, { class = 'session' })
end

local targets, commands

-- The targets of make: {target: its line in Makefile}.
local function make_targets()
  if targets then return targets end
  targets = {}
  for line in common.lines(common.read('Makefile')) do
    local name = line:match('^([%w-]+):.*##')
    if name then targets[name] = line end
  end
  return targets
end

local function lanewise_commands()
  if commands then return commands end
  commands = {}
  for line in common.lines((run((os.getenv('HANDOUT_LANEWISE') or 'build/lanewise') .. ' help'))) do
    commands[line:match('^  (%S+)') or ''] = true
  end
  return commands
end

-- Complains about an unknown target or variable of make, and about an unknown command of lanewise.
local function check_command(text)
  local rest = text:match('^make%s+(.*)$')
  if rest then
    local target = (' ' .. rest):match('%s(%l[%l%d-]*)')
    local line = target and make_targets()[target]
    if target and not line then return common.complain(text, '`%s`: make has no target "%s"', text, target) end
    for variable in (' ' .. rest):gsub("'[^']*'", ''):gmatch('%s([%u_]+)=') do
      if line and not line:match('[%[%s%(]' .. variable .. '[=%s%]]') then
        common.complain(text, '`%s`: make %s has no variable %s=', text, target, variable)
      end
    end
  end
  local command = text:match('^lanewise%s+([%l][%l-]*)') or text:match('^build/lanewise%s+([%l][%l-]*)')
  if command and not lanewise_commands()[command] then
    common.complain(text, '`%s`: lanewise has no command "%s"', text, command)
  end
end

-- A session that the build does not run: lines after "$ " are commands, the others are their output.
local function typed(text)
  local blocks, output = {}, {}
  local function flush()
    if #output > 0 then blocks[#blocks + 1] = code_block(table.concat(output, '\n'), 'output') end
    output = {}
  end
  for line in common.lines(text) do
    local command = line:match('^%$ (.*)$')
    if command then
      flush()
      check_command(command)
      blocks[#blocks + 1] = code_block(command, 'command')
    else
      output[#output + 1] = line
    end
  end
  flush()
  return pandoc.Div(blocks, { class = 'session' })
end

local function CodeBlock(block)
  if not (block.classes:includes('console') or block.classes:includes('sh') or block.classes:includes('bash')) then
    return nil
  end
  local attributes = block.attributes
  if attributes.norun then return typed(block.text) end
  local shown = block.text:match('^%$ ([^\n]*)$') or block.text == '' and attributes.run
  if not shown then
    return common.complain(block.text:match('[^\n]*'),
      'the build runs commands: put one line "$ command" between the fences, or say norun="the reason"')
  end
  local command = attributes.run or shown
  local output, code = run(command)
  must(command, code, tonumber(attributes.exit or 0), output)
  check_command(shown)
  return session(shown, table.concat(part(steady(output), attributes.lines, command), '\n'))
end

local function Code(code)
  if #code.classes == 0 then check_command(code.text) end
end

return { CodeBlock = CodeBlock, Code = Code, run = run, must = must, check_command = check_command }
