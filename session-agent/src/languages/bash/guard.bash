# Keeps the builtins that the kernel itself needs. Code can disable them (`enable -n`) or hide them by functions of their names. Both hold until
# the end of the step. The functions come back at the beginning of the next one, except one with the name `builtin`.

readonly __holdfast_needed=(builtin . alias break cd compgen complete continue declare dirs echo enable eval exec export jobs kill local mapfile printf
  pushd read readonly return set shift shopt source trap type ulimit umask unalias unset)
# A function `read` may be the kernel's (input.bash).
readonly __holdfast_re_hides='(^|[^[:alnum:]_])(enable|(builtin|break|compgen|continue|declare|exec|local|readonly|return|shift|source|type|[.])[[:space:]]*[(][[:space:]]*[)]|function[[:space:]]+(builtin|break|compgen|continue|declare|exec|local|readonly|return|shift|source|type))'
readonly __holdfast_hideable=(break compgen continue declare exec local readonly return shift source type .)
__holdfast_guarded='' __holdfast_aside='' __holdfast_aside_lines=''

# Notes whether code $1 may do so. It may do it later, too, by a function.
__holdfast_guard() {
  if [[ $1 == *enable* || $1 == *'('*')'* || $1 == *function* ]] && __holdfast_matches "$1" "$__holdfast_re_hides"; then
    __holdfast_guarded='__holdfast_restore_builtins; '
  fi
}

# Puts the functions aside as well. Its first command may be the only one that still works.
__holdfast_restore_builtins() {
  \enable "${__holdfast_needed[@]}"
  __holdfast_probe=''
  \builtin eval '__holdfast_probe=x'
  if [[ ! $__holdfast_probe ]]; then __holdfast_restore_builtin; fi
  __holdfast_aside='' __holdfast_aside_lines=''
  for __holdfast_each in "${__holdfast_hideable[@]}"; do
    if builtin declare -F -- "$__holdfast_each" >/dev/null; then
      __holdfast_aside+=$(\builtin declare -f -- "$__holdfast_each")$'\n'
      __holdfast_aside_lines+="declare -f $__holdfast_each"$'\n'
      builtin unset -f -- "$__holdfast_each"
    fi
  done
  builtin enable "${__holdfast_needed[@]}"
}

# Defines the functions again that were put aside. Aliases would change their text.
__holdfast_bring_aside() {
  if [[ :$BASHOPTS: == *:expand_aliases:* ]]; then
    builtin shopt -u expand_aliases
    __holdfast_aside+='builtin shopt -s expand_aliases'
  fi
  builtin eval "$__holdfast_aside"
}

# In POSIX mode a special builtin comes before a function of its name, so `unset` is the shell's own there.
__holdfast_restore_builtin() {
  __holdfast_shopt=$BASHOPTS
  POSIXLY_CORRECT=x
  unset -f builtin enable
  unset -v POSIXLY_CORRECT
  \enable "${__holdfast_needed[@]}"
  \builtin eval '__holdfast_probe=x'
  if [[ ! $__holdfast_probe ]]; then __holdfast_give_up; fi
  # That mode has changed some options.
  builtin eval "builtin shopt -u ${BASHOPTS//:/ }; builtin shopt -s ${__holdfast_shopt//:/ }"
}

# Says why the context ends, by the commands that are left.
__holdfast_give_up() {
  \printf '%s\n' "{\"type\":\"error\",\"stepId\":\"$__holdfast_step\",\"name\":\"BrokenShell\",\"message\":\"the step disabled \`builtin\` and \`enable\`, without which the shell cannot go on\",\"traceback\":[\"BrokenShell\"]}" >&60
  \kill -KILL "$__holdfast_pid"
}
