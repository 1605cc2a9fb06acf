-- Joins all pages into one document with a cover and contents, for printing as a book. Reads the pages' documents
-- from the folder $HANDOUT_DOCUMENTS. An id in a page becomes NAME--id, so that links lead to places in the book.
package.path = PANDOC_SCRIPT_FILE:match('^.*/') .. '?.lua;' .. package.path
local contents = require 'contents'
local shape = require 'shape'

-- The site's first page has the book's own title, so its chapter needs another.
local function title_of(page)
  return page.name == 'index' and 'Before you begin' or page.title
end

local function document(page)
  local file = assert(io.open(os.getenv('HANDOUT_DOCUMENTS') .. '/' .. page.name .. '.json', 'rb'))
  local text = file:read('a')
  file:close()
  return pandoc.read(text, 'json')
end

-- Makes the ids of a page unique in the book, and adapts links to this page and to others.
local function renamed(name, blocks)
  local function id(element)
    if element.identifier ~= '' then element.identifier = name .. '--' .. element.identifier end
    return element
  end
  local function Link(link)
    local other, anchor = link.target:match('^([%w-]+)%.md#?(.*)$')
    if link.target:match('^#') then
      link.target = '#' .. name .. '--' .. link.target:sub(2)
    elseif other then
      link.target = '#' .. other .. (anchor ~= '' and '--' .. anchor or '')
    end
    return id(link)
  end
  return pandoc.walk_block(pandoc.Div(blocks), { Header = id, Div = id, Span = id, Code = id, CodeBlock = id, Link = Link }).content
end

-- A line of the table of contents. The first printing finds the line's page number (rules.mk).
local function entry(text, id)
  return pandoc.Plain { pandoc.Link(text, '#' .. id), pandoc.RawInline('html', '<span class="leader"></span><span class="folio" data-for="' .. id .. '"></span>') }
end

local function chapter(page, at, toc)
  local blocks = renamed(page.name, document(page).blocks)
  local sections = {}
  for _, block in ipairs(blocks) do
    if block.t == 'Header' and block.level == 2 then
      sections[#sections + 1] = { entry(block.content, block.identifier) }
    end
  end
  toc[#toc + 1] = { entry({ pandoc.Str(title_of(page)) }, page.name), pandoc.BulletList(sections) }
  local kicker = table.concat(contents.kicker(page), ' · ')
  table.insert(blocks, 1, pandoc.Div({
    pandoc.Para { pandoc.Span({ pandoc.Str(kicker) }, { class = 'kicker' }) },
    pandoc.Header(1, { pandoc.Str(title_of(page)) }, pandoc.Attr(page.name)),
  }, { class = 'title' }))
  return pandoc.Div(blocks, { class = 'chapter', style = 'page: chapter' .. at })
end

-- The running heads: one @page rule for each chapter, because Chromium does not support named strings.
local function heads()
  local rules = {}
  for at, page in ipairs(contents.pages) do
    rules[at] = ('@page chapter%d { @top-center { content: "%s" } }'):format(at, title_of(page):gsub('["\\<]', '\\%0'))
  end
  return table.concat(rules, '\n')
end

local function Pandoc(doc)
  local chapters, toc = {}, {}
  for at, page in ipairs(contents.pages) do chapters[at] = chapter(page, at, toc) end
  doc.meta.toc = pandoc.MetaBlocks { pandoc.BulletList(toc) }
  doc.meta.heads = pandoc.MetaInlines { pandoc.RawInline('html', heads()) }
  return pandoc.Pandoc(chapters, doc.meta)
end

return {
  { Pandoc = Pandoc },
  { Para = shape.figure, Table = shape.table, Div = function(div)
    if div.classes:includes('pages') then return {} end
  end },
}
