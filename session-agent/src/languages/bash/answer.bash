# Answers a request between steps. A subshell sources this file, so that none of its changes stay.

builtin trap - INT CHLD DEBUG ERR RETURN EXIT USR1 USR2 TERM
shopt -u nocasematch nullglob failglob extdebug

source "$__holdfast_home/symbols.bash"
source "$__holdfast_home/complete.bash"
source "$__holdfast_home/inspect.bash"
source "$__holdfast_home/parse.bash"

__holdfast_field "$__holdfast_my_line" id __holdfast_id
__holdfast_field "$__holdfast_my_line" cursor __holdfast_cursor
case $__holdfast_my_line in
  '{"type":"symbols",'*) __holdfast_symbols ;;
  '{"type":"complete",'*) __holdfast_complete "${__holdfast_my_texts[0]}" "$__holdfast_cursor" ;;
  '{"type":"parse",'*) __holdfast_parse "${__holdfast_my_texts[0]}" ;;
  '{"type":"inspect",'*) __holdfast_inspect "${__holdfast_my_texts[0]}" "$__holdfast_cursor" ;;
esac
