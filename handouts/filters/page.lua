-- From a page's Markdown to the document that all outputs are made of: code, facts and outputs filled in.
-- Stops with everything that is wrong in the page (common.lua).
package.path = PANDOC_SCRIPT_FILE:match('^.*/') .. '?.lua;' .. package.path
local common = require 'common'

-- A figure is drawn by a script of its name, and tells in words what it shows.
local function Image(image)
  local name = image.src:match('^figures/([%w-]+)%.svg$')
  local found = false
  for _, drawn in ipairs(common.words(os.getenv('HANDOUT_FIGURES'))) do found = found or drawn == name end
  if not found then common.complain(image.src, 'nothing draws %s: a script figures/NAME.* would', image.src) end
  if not image.attributes.alt or #image.caption == 0 then
    common.complain(image.src, 'a figure wants a caption, and in alt="…" what a blind reader hears')
  end
end

-- Each term of a glossary can be linked to: "bank conflict" is #bank-conflict.
local function DefinitionList(list)
  for _, item in ipairs(list.content) do
    local id = pandoc.utils.stringify(item[1]):lower():gsub('[^%w]+', '-'):gsub('^-+', ''):gsub('-+$', '')
    item[1] = { pandoc.Span(item[1], pandoc.Attr(id)) }
  end
  return list
end

return {
  require('exercises').exercises,
  { CodeBlock = require('code').CodeBlock },
  { CodeBlock = require('console').CodeBlock, Code = require('console').Code },
  require 'facts',
  { Image = Image, DefinitionList = DefinitionList },
  require('exercises').answers,
  { Pandoc = function() common.finish() end },
}
