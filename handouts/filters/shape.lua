-- What a page of the site and a chapter of the book have in common: figures, tables that scroll on a phone,
-- and the list of pages.
local contents = require 'contents'
local shape = {}

local function escape(text)
  return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

-- A paragraph that is one image is a figure: its text is the caption, alt="…" what a blind reader hears.
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

-- A table can be scrolled on a phone. Its caption stands below, and is not as narrow as the table may be.
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

-- ::: pages: all pages but this one, LINK(page) being where a page is, or nil if one cannot go there.
function shape.list(this, link)
  local items = {}
  for _, page in ipairs(contents.pages) do
    if page.name ~= this then
      local target = link(page)
      local label = (page.lab or page.name):match('^%d+') or '·'
      local title = { pandoc.Span({ pandoc.Str(label) }, { class = 'number' }),
        target and pandoc.Link(page.title, target) or pandoc.Span { pandoc.Str(page.title) } }
      if page.minutes then title[3] = pandoc.Span({ pandoc.Str(page.minutes .. '\u{a0}min') }, { class = 'minutes' }) end
      local lines = { pandoc.Plain(title) }
      if page.summary then lines[2] = pandoc.Para { pandoc.Str(page.summary) } end
      items[#items + 1] = lines
    end
  end
  return #items > 0 and pandoc.Div({ pandoc.BulletList(items) }, { class = 'pages' }) or {}
end

return shape
