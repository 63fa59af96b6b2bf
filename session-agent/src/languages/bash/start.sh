# Executes the bash that its arguments name as a kernel. The kernel dies with the agent if setpriv(1) is installed. It reads main.bash as
# its first command: a startup file would also load the system's own, and a PROMPT_COMMAND would destroy PIPESTATUS for good (bash 5.2).
# Its warning that it has no terminal is dropped.
command -v setpriv >/dev/null && set -- setpriv --pdeathsig KILL "$@"
exec "$@" --noprofile --norc --noediting -i 2>/dev/null <<EOF
. '${0%/*}/main.bash'
EOF
