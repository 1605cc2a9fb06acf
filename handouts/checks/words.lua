-- The prose of a page for the spelling check: without code, mathematics, facts and addresses.
return { {
  Code = function() return {} end, CodeBlock = function() return {} end, Math = function() return {} end,
  RawInline = function() return {} end, RawBlock = function() return {} end,
  Link = function(link) return link.content end,
  Image = function(image) -- caption and description
    local content = image.caption
    if image.attributes.alt then content:extend { pandoc.Space(), pandoc.Str(image.attributes.alt) } end
    return content
  end,
  Pandoc = function(doc) -- the front matter has prose, too
    for _, key in ipairs { 'title', 'summary' } do
      if doc.meta[key] then table.insert(doc.blocks, 1, pandoc.Para { pandoc.Str(pandoc.utils.stringify(doc.meta[key])) }) end
    end
    return doc
  end,
} }
