-- All pages, in reading order: what filters/pages.sh has listed in the file $HANDOUT_PAGES.
local contents = { pages = {}, by_name = {} }

for line in io.lines(os.getenv('HANDOUT_PAGES')) do
  line = line:gsub("'", '’')
  local name, order, title, lab, minutes, summary = (line .. '\t'):match(('(.-)\t'):rep(6))
  local page = { name = name, order = tonumber(order), title = title, at = #contents.pages + 1 }
  page.lab = lab ~= '-' and lab or nil
  page.minutes = minutes ~= '-' and minutes or nil
  page.summary = summary ~= '-' and summary or nil
  contents.pages[page.at], contents.by_name[name] = page, page
end

-- What stands over a title: "Lab 01", "60 minutes". Empty for pages that have neither.
function contents.kicker(page)
  local parts = {}
  local lab = page.lab and page.lab:match('^%d+')
  if lab then parts[1] = 'Lab\u{a0}' .. lab end
  if page.minutes then parts[#parts + 1] = 'about ' .. page.minutes .. '\u{a0}minutes' end
  return parts
end

return contents
