-- Code cut by name from a tested source file, with that file's line numbers:
--
--   ```{.cuda file="solutions/01-parallelize/parallelize.cu" cut="sum_one_block"}
--   ```
--
-- A name is the name of a function, kernel, structure, constant or macro. The sources are formatted, so a definition
-- begins in column 0 and ends at the first line that begins with a brace. The comment right above it is shown, too.
local common = require 'common'

-- The lines of a file. A student may have changed a lab's file, so pages show its skeleton.
local function source(path)
  local folder = path:match('^(labs/[^/]+/)[^/]+%.cu$')
  local text = folder and common.read(folder .. '.skeleton.cu') or common.read(path)
  if not text then return nil end
  local lines = {}
  for line in common.lines(text) do lines[#lines + 1] = line end
  return lines
end

-- The name that a definition's head defines, or nil. A lab's CHECK(name, ...) is a definition, too.
local function name_of(head)
  local check = head:match('^CHECK%(([%w_]+)')
  if check then return check end
  head = head:gsub('^template%s*%b<>', ''):gsub('__launch_bounds__%s*%b()', ''):gsub('__align__%s*%b()', '')
    :gsub('__attribute__%s*%b()', '')
  local kind, name = head:match('^%s*(%a+)%s+([%a_][%w_]*)%s*{')
  if kind == 'struct' or kind == 'union' or kind == 'enum' or kind == 'class' then return name end
  local variable = head:match('^([^=(]*)=')
  if variable then return variable:gsub('%b[]', ''):match('([%a_][%w_]*)%s*$') end
  return head:match('([%a_][%w_]*)%s*%(')
end

-- The last line of the definition that begins in line FIRST, and its name; nil if none begins there.
local function definition(lines, first)
  if lines[first]:match('^#%s*define') then
    local last = first
    while lines[last]:match('\\$') and lines[last + 1] do last = last + 1 end
    return last, nil, lines[first]:match('^#%s*define%s+([%w_]+)')
  end
  if not lines[first]:match('^[%a_]') then return nil end
  local head, at = '', first
  while lines[at] do
    head = head .. lines[at]:gsub('//.*', '') .. ' '
    if head:find('[{;]') then break end
    at = at + 1
  end
  local brace, semicolon = head:find('{', 1, true), head:find(';', 1, true)
  if not brace or (semicolon and semicolon < brace) then
    return at, semicolon and head:find('=', 1, true) and name_of(head) or nil
  end
  local name = name_of(head:sub(1, brace))
  if head:find('}', brace, true) and head:match('[;}]%s*$') and select(2, head:gsub('{', '')) == select(2, head:gsub('}', '')) then
    return at, name
  end
  repeat at = at + 1 until not lines[at] or lines[at]:match('^}')
  return at, name
end

-- The first line of the comment that ends right above line FIRST, or FIRST if there is no comment.
local function comment_above(lines, first)
  local at = first - 1
  if at >= 1 and lines[at]:match('%*/%s*$') then
    while at > 1 and not lines[at]:match('^%s*/%*') do at = at - 1 end
    return at
  end
  while at >= 1 and lines[at]:match('^//') do at = at - 1 end
  return at + 1
end

-- All definitions of a file: {name, first line, last line}, in order.
local function definitions(lines)
  local all, at = {}, 1
  while at <= #lines do
    local last, name, macro = definition(lines, at)
    name = name or macro
    if last and name then
      all[#all + 1] = { name = name, first = comment_above(lines, at), last = math.min(last, #lines) }
    end
    at = math.max(last or at, at) + 1
  end
  return all
end

local function names(all)
  local list = {}
  for i, found in ipairs(all) do list[i] = found.name end
  return list
end

-- The lines of NAME as a block of code.
local function cut(block, path, lines, all, name)
  local found
  for _, one in ipairs(all) do
    if one.name == name then
      if found then
        return common.complain('cut="' .. block.attributes.cut .. '"', '%s defines "%s" twice', path, name)
      end
      found = one
    end
  end
  if not found then
    return common.complain('cut="' .. block.attributes.cut .. '"', 'nothing in %s is called "%s": %s', path, name,
      common.list(names(all)))
  end
  local code = table.concat(lines, '\n', found.first, found.last)
  local language = block.classes[1] or 'cuda'
  return found, pandoc.CodeBlock(code, pandoc.Attr('', { language, 'numberLines' }, { startFrom = tostring(found.first) }))
end

-- The line above a piece of code: the file's name and the numbers of the lines shown.
local function heading(path, found)
  local lines = found.first == found.last and (', line %d'):format(found.first)
    or (', lines %d–%d'):format(found.first, found.last)
  return pandoc.Plain { pandoc.Span({ pandoc.Code(path), pandoc.Str(lines) }, { class = 'where' }) }
end

local function CodeBlock(block)
  local path, wanted = block.attributes.file, block.attributes.cut
  if not path and not wanted then return nil end
  if not path or not wanted or block.text ~= '' then
    return common.complain(wanted and 'cut="' .. wanted .. '"' or path, 'to show code, give file="…" and cut="…", and put nothing between the fences')
  end
  local lines = source(path)
  if not lines then return common.complain(path, 'there is no %s', path) end
  local all, blocks = definitions(lines), {}
  for _, name in ipairs(common.words(wanted)) do
    local found, code = cut(block, path, lines, all, name)
    if found then
      blocks[#blocks + 1] = heading(path, found)
      blocks[#blocks + 1] = code
    end
  end
  return pandoc.Div(blocks, { class = 'listing' })
end

return { CodeBlock = CodeBlock }
