-- From a page's Markdown to the document that all outputs are made of: code, facts and outputs filled in.
-- Stops with everything that is wrong in the page (common.lua).
package.path = PANDOC_SCRIPT_FILE:match('^.*/') .. '?.lua;' .. package.path
local common = require 'common'

-- Answers go first: what students do not see is not run for them.
return {
  require 'exercises',
  { CodeBlock = require('code').CodeBlock },
  { CodeBlock = require('console').CodeBlock, Code = require('console').Code },
  require 'facts',
  { Pandoc = function() common.finish() end },
}
