-- Turns a page's Markdown into the document from which the site and the book are made: fills in code, facts and
-- outputs. If the page has mistakes, reports all of them and fails (common.lua).
package.path = PANDOC_SCRIPT_FILE:match('^.*/') .. '?.lua;' .. package.path
local common = require 'common'

-- A figure needs a script of the same name, which draws it, and a description in words.
local function Image(image)
  local name = image.src:match('^figures/([%w-]+)%.svg$')
  local found = false
  for _, drawn in ipairs(common.words(os.getenv('HANDOUT_FIGURES'))) do found = found or drawn == name end
  if not found then common.complain(image.src, 'no script figures/NAME.* draws %s', image.src) end
  if not image.attributes.alt or #image.caption == 0 then
    common.complain(image.src, 'a figure needs a caption, and a description in alt="…"')
  end
end

-- Each term of a glossary gets an id: "bank conflict" is #bank-conflict.
local function DefinitionList(list)
  for _, item in ipairs(list.content) do
    local id = pandoc.utils.stringify(item[1]):lower():gsub('[^%w]+', '-'):gsub('^-+', ''):gsub('-+$', '')
    item[1] = { pandoc.Span(item[1], pandoc.Attr(id)) }
  end
  return list
end

return {
  { Div = require('facts').if_recorded, traverse = 'topdown' },
  require('exercises').exercises,
  { CodeBlock = require('code').CodeBlock },
  { CodeBlock = require('console').CodeBlock, Code = require('console').Code },
  { Code = require('facts').Code, Div = require('facts').Div },
  require 'ladders',
  require 'messages',
  require 'replays',
  { Image = Image, DefinitionList = DefinitionList },
  require('exercises').answers,
  { Pandoc = function() common.finish() end },
}
