-- Turns a page's document into a page of the site: links to other pages, anchors, contents, previous and next.
-- -M page=NAME names the page. With -M print=yes it becomes a separate PDF, without links to other pages.
package.path = PANDOC_SCRIPT_FILE:match('^.*/') .. '?.lua;' .. package.path
local contents = require 'contents'
local shape = require 'shape'

local this, printed

local function link(page)
  return not printed and page.name .. '.html' or nil
end

-- The page's table of contents: its sections.
local function sections(blocks)
  local items = {}
  for _, block in ipairs(blocks) do
    if block.t == 'Header' and block.level == 2 then
      items[#items + 1] = { pandoc.Plain { pandoc.Link(block.content, '#' .. block.identifier) } }
    end
  end
  return #items > 1 and pandoc.MetaBlocks { pandoc.BulletList(items) } or nil
end

local function has_replays(blocks)
  for _, block in ipairs(blocks) do
    if block.t == 'Div' and (block.classes:includes('replays') or has_replays(block.content)) then return true end
  end
  return false
end

local function turn(page)
  return page and { href = link(page), title = page.title }
end

local function describe(doc)
  local meta = doc.meta
  meta.contents = sections(doc.blocks)
  meta.previous, meta.next = turn(contents.pages[this.at - 1]), turn(contents.pages[this.at + 1])
  local kicker = contents.kicker(this)
  meta.kicker = #kicker > 0 and kicker or nil
  meta.number = this.name:match('^%d+')
  meta.summary = this.summary
  meta.replays = not printed and has_replays(doc.blocks)
  return doc
end

local function Header(header)
  if header.level < 2 or header.identifier == '' then return nil end
  header.content:insert(pandoc.Link('#', '#' .. header.identifier, '', { class = 'anchor', ['aria-label'] = 'Link to this section' }))
  return header
end

local function Link(element)
  local name, anchor = element.target:match('^([%w-]+)%.md(.*)$')
  if name and printed then return element.content end
  if name then element.target = name .. '.html' .. anchor end
  return element
end

local function Div(div)
  return div.classes:includes('pages') and shape.list(this.name, link) or nil
end

return {
  { Meta = function(meta)
    this, printed = assert(contents.by_name[pandoc.utils.stringify(meta.page)], 'no such page'), meta.print
  end },
  { Pandoc = describe },
  { Header = Header, Link = Link, Div = Div, Para = shape.figure, Table = shape.table },
}
