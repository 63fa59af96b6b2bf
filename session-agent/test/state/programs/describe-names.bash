# Prints each name that a step can have made, with its attributes and value, between bytes that are in none of them.
for __name in $(compgen -v | \grep -E '^[a-z][0-9]$') $(declare -p | \sed -nE 's/^declare -[a-zA-Z-]+ ([a-z][0-9])$/\1/p'); do
  printf '%s\1%s\2' "$__name" "$(declare -p "$__name" 2>/dev/null)"
done
for __name in $(compgen -A function | \grep -E '^([a-z][0-9]|sourced)$'); do printf '%s()\1%s\2' "$__name" "$(declare -f "$__name")"; done
printf 'current directory\1%s\2' "$PWD"
printf 'positional parameters\1%s\2' "$*"
for __name in $(compgen -a); do printf 'alias %s\1%s\2' "$__name" "$(alias "$__name")"; done
printf 'trap SIGUSR1\1%s\2' "$(trap -p USR1)"
printf 'trap EXIT\1%s\2' "$(trap -p EXIT)"
printf 'options\1%s\2' "$(shopt nullglob; set -o | \grep noglob)"
unset -v __name
:
