# Answers a question between steps. Read by a subshell, so that nothing of it stays.

builtin trap - INT CHLD DEBUG ERR RETURN EXIT USR1 USR2 TERM
shopt -u nocasematch nullglob failglob extdebug

source "$__holdfast_home/symbols.bash"
source "$__holdfast_home/complete.bash"
source "$__holdfast_home/inspect.bash"

__holdfast_field "$line" id __holdfast_id
__holdfast_field "$line" cursor __holdfast_cursor
case $line in
  '{"type":"symbols",'*) __holdfast_symbols ;;
  '{"type":"complete",'*) __holdfast_complete "${texts[0]}" "$__holdfast_cursor" ;;
  '{"type":"inspect",'*) __holdfast_inspect "${texts[0]}" "$__holdfast_cursor" ;;
esac
