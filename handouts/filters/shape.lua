-- The shapes that a page of the site and a chapter of the book share: figures, tables that scroll on a phone,
-- and the list of pages.
local contents = require 'contents'
local shape = {}

local function escape(text)
  return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

-- A paragraph that consists of one image is a figure. Its text is the caption; alt="…" describes it to blind readers.
function shape.figure(para)
  local image = para.content[1]
  if #para.content ~= 1 or image.t ~= 'Image' then return nil end
  local alt = image.attributes.alt or pandoc.utils.stringify(image.caption)
  local html = ('<img src="%s" alt="%s">'):format(escape(image.src), escape(alt))
  return {
    pandoc.RawBlock('html', '<figure><div class="scroll">' .. html .. '</div><figcaption>'),
    pandoc.Plain(image.caption),
    pandoc.RawBlock('html', '</figcaption></figure>'),
  }
end

-- A table scrolls on a phone. The caption is below the table and may be wider.
function shape.table(block)
  local caption = block.caption.long
  block.caption.long = {}
  local scrolling = pandoc.Div({ block }, { class = 'scroll' })
  if #caption == 0 then return scrolling end
  local blocks = { pandoc.RawBlock('html', '<figure class="table">'), scrolling, pandoc.RawBlock('html', '<figcaption>') }
  for _, part in ipairs(caption) do blocks[#blocks + 1] = part end
  blocks[#blocks + 1] = pandoc.RawBlock('html', '</figcaption></figure>')
  return blocks
end

-- A page's entry in the list of pages; TARGET is the page's address, or nil for no link.
local function entry(page, target)
  local label = (page.lab or page.name):match('^%d+') or '·'
  local title = { pandoc.Span({ pandoc.Str(label) }, { class = 'number' }),
    target and pandoc.Link(page.title, target) or pandoc.Span { pandoc.Str(page.title) } }
  if page.minutes then title[3] = pandoc.Span({ pandoc.Str(page.minutes .. '\u{a0}min') }, { class = 'minutes' }) end
  local lines = { pandoc.Plain(title) }
  if page.summary then lines[2] = pandoc.Para { pandoc.Str(page.summary) } end
  return lines
end

-- The list for "::: pages": all pages except THIS, with a heading before each part. LINK(page) is a page's address, or nil.
function shape.list(this, link)
  local blocks, part = {}, nil
  for _, page in ipairs(contents.pages) do
    if page.name ~= this then
      if page.part and page.part ~= part then blocks[#blocks + 1] = pandoc.Header(3, pandoc.Str(page.part)) end
      if page.part ~= part or #blocks == 0 then blocks[#blocks + 1] = pandoc.BulletList {} end
      part = page.part
      blocks[#blocks].content:insert(entry(page, link(page)))
    end
  end
  return #blocks > 0 and pandoc.Div(blocks, { class = 'pages' }) or {}
end

return shape
