" @MARK@
" :compiler lanewise, then :make grades the lab whose file is open, and :copen lists the findings.
if exists("current_compiler")
  finish
endif
let current_compiler = "lanewise"
CompilerSet makeprg=cd\ @ROOT@\ &&\ make\ -s\ lanewise\ &&\ build/lanewise\ grade\ --lab\ %:p:h:t\ --format\ lines
CompilerSet errorformat=%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tote:\ %m
CompilerSet errorformat+=%f:%l:%c:\ fatal\ %trror:\ %m
CompilerSet errorformat+=%f:%l:\ %tarning:\ %m,%f:%l:\ %trror:\ %m,%f:%l:\ %tote:\ %m,%-G%.%#
