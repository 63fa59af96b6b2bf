# Executes the bash of its arguments as a kernel, which dies with the agent where setpriv(1) is there. It reads main.bash as its first
# command: a startup file would bring the system's own along, and a PROMPT_COMMAND would cost it PIPESTATUS for good (bash 5.2).
# Its complaint that there is no terminal goes nowhere.
command -v setpriv >/dev/null && set -- setpriv --pdeathsig KILL "$@"
exec "$@" --noprofile --norc --noediting -i 2>/dev/null <<EOF
. '${0%/*}/main.bash'
EOF
