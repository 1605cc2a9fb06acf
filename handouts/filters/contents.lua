-- All pages, in reading order, from the list that filters/pages.sh wrote to the file $HANDOUT_PAGES.
local contents = { pages = {}, by_name = {} }

for line in io.lines(os.getenv('HANDOUT_PAGES')) do
  line = line:gsub("'", '’')
  local name, order, title, lab, minutes, summary, part = (line .. '\t'):match(('(.-)\t'):rep(7))
  local page = { name = name, order = tonumber(order), title = title, at = #contents.pages + 1 }
  page.lab = lab ~= '-' and lab or nil
  page.minutes = minutes ~= '-' and minutes or nil
  page.summary = summary ~= '-' and summary or nil
  page.part = part ~= '-' and part or nil
  contents.pages[page.at], contents.by_name[name] = page, page
end

-- The words over a page's title: "Lab 01", "Reference", "about 60 minutes"; perhaps none.
function contents.kicker(page)
  local words = {}
  local lab = page.lab and page.lab:match('^%d+')
  if lab then words[1] = 'Lab\u{a0}' .. lab end
  if page.part then words[#words + 1] = page.part end
  if page.minutes then words[#words + 1] = 'about ' .. page.minutes .. '\u{a0}minutes' end
  return words
end

return contents
