# Says whether code that is being typed can run, by a shell that reads it and runs nothing of it.

# $1 is the code.
__holdfast_parse() {
  local __holdfast_my_status=complete __holdfast_my_fault
  # A here-document without its end is a warning alone. A backslash at the end joins the next line.
  __holdfast_my_fault=$(LC_ALL=C "$BASH" --norc --noprofile -n 2>&1 <<<"$1")
  if [[ $__holdfast_my_fault == *'unexpected end of file'* || $__holdfast_my_fault == *'unexpected EOF'* ||
    $__holdfast_my_fault == *'delimited by end-of-file'* || $1 =~ (^|[^\\])(\\\\)*\\$ ]]; then
    __holdfast_my_status=incomplete
  elif [[ $__holdfast_my_fault == *'syntax error'* || $__holdfast_my_fault == *expected* ]]; then
    __holdfast_my_status=invalid
  fi
  __holdfast_send "{\"type\":\"parsed\",\"id\":$__holdfast_id,\"status\":\"$__holdfast_my_status\",\"indent\":\"\"}"
}
