import type { Behaviour } from './run-behaviours.ts';

const status = (code: number) => ({ name: 'ExitStatus', message: `exit status ${code}` });

/** State that stays from step to step. Sections are those of the Bash Reference Manual. */
export const bashState: readonly Behaviour[] = [
  {
    name: 'variables, exported variables and arrays stay',
    source: 'Shell Parameters; Arrays',
    steps: [
      { code: `a='two  words'\nexport b=x\nlist=(1 'b c')\ndeclare -A map=([k]=v)` },
      { code: 'printf "%s|" "$a" "$(printenv b)" "${list[1]}" "${map[k]}"', stdout: 'two  words|x|b c|v|' },
    ],
  },
  {
    name: 'a declaration at the top of a step is global',
    source: 'Bash Builtin Commands: declare is local only in a function',
    steps: [
      { code: 'declare -i n=2; typeset -u u=up; readonly r=1' },
      { code: 'n+=3; echo $n $u $r', stdout: '5 UP 1\n' },
    ],
  },
  {
    name: 'functions stay and see their arguments',
    source: 'Shell Functions',
    steps: [{ code: 'greet() { local who=$1; echo "hi $who"; }' }, { code: 'greet you', stdout: 'hi you\n' }],
  },
  {
    name: 'the working directory stays',
    source: 'Bourne Shell Builtins: cd',
    steps: [
      { code: 'mkdir deep; cd deep' },
      { code: 'echo "${PWD##*/}"; cd ..; echo "${OLDPWD##*/}"', stdout: 'deep\ndeep\n' },
    ],
  },
  {
    name: 'a removed working directory harms no later step',
    source: 'Bourne Shell Builtins: cd',
    steps: [
      { code: 'mkdir gone; cd gone; rmdir ../gone' },
      { code: 'echo on; cd /', stdout: 'on\n' },
      { code: 'pwd', stdout: '/\n' },
    ],
  },
  {
    name: 'aliases are expanded from the next step on',
    source: 'Aliases: expanded if the shell is interactive',
    steps: [{ code: `alias say='echo said'` }, { code: 'say it', stdout: 'said it\n' }],
  },
  {
    name: 'options stay',
    source: 'The Set Builtin; The Shopt Builtin',
    steps: [
      { code: 'set -f; set -o pipefail; shopt -s nocasematch' },
      { code: 'echo *; [[ A == a ]] && echo same; false | true', stdout: '*\nsame\n', error: status(1) },
    ],
  },
  {
    name: 'options and variables of the code do not disturb the kernel’s own commands',
    source: 'The Set Builtin; Shell Variables',
    steps: [
      { code: 'set -aku -o posix; IFS=x; PATH=; LC_ALL=C; TMOUT=1; shopt -s nullglob failglob extglob' },
      { code: 'echo on "$IFS"', stdout: 'on x\n' },
      { code: 'echo "$- $TMOUT"', stdout: /u.* 1\n/ },
    ],
  },
  {
    name: '$0 and BASH_SOURCE name a file in the working directory, also after an interrupt, and leave none there',
    source: 'Shell Variables: BASH_SOURCE; Special Parameters: 0',
    files: { 'lib.sh': 'echo "${BASH_SOURCE[0]##*/}"' },
    steps: [
      { code: '[[ $0 == "$PWD"/* && ${BASH_SOURCE[0]} == "$0" ]] && echo same; cd /', stdout: 'same\n' },
      { code: 'source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"', stdout: 'lib.sh\n' },
      { code: 'echo up; sleep 60', interruptAt: 'up', stdout: 'up\n', status: 'interrupted' },
      { code: 'cd "$(dirname "$0")" && ls -A; [[ ${BASH_SOURCE[0]} == "$0" ]]', stdout: 'lib.sh\n' },
      { code: 'f() { echo "${BASH_SOURCE[0]%/*}"; }; [[ $(f) == "$PWD" ]]' },
    ],
  },
  {
    name: 'a file that is called bash stays as it is',
    source: 'the kernel protocol',
    files: { bash: 'mine' },
    steps: [{ code: 'cat bash; [[ ${0%/*} == "$PWD" && ! -e $0 ]]', stdout: 'mine' }],
  },
  {
    name: 'positional parameters stay',
    source: 'Positional Parameters',
    steps: [{ code: 'set -- a "b c"' }, { code: 'echo $# "$2"', stdout: '2 b c\n' }],
  },
  {
    name: '$? and $_ have their values of the step before',
    source: 'Special Parameters',
    steps: [
      { code: '(exit 3)', error: status(3) },
      { code: 'echo $?', stdout: '3\n' },
      { code: ': last' },
      { code: 'echo $_', stdout: 'last\n' },
    ],
  },
  {
    name: '$! is the last background process',
    source: 'Special Parameters',
    steps: [{ code: '(exit 4) & kept=$!' }, { code: '[ $! = $kept ] && wait $!; echo $?', stdout: '4\n' }],
  },
  {
    name: 'a background job survives its step and can be waited for',
    source: 'Job Control Builtins: wait',
    steps: [{ code: 'sleep 0.1 && touch done &' }, { code: 'wait; ls', stdout: 'done\n' }],
  },
  {
    name: 'a trap on a signal fires in a later step',
    source: 'Bourne Shell Builtins: trap',
    steps: [{ code: `trap 'echo caught' USR1` }, { code: 'kill -USR1 $$; echo on', stdout: 'caught\non\n' }],
  },
  {
    name: 'a trap on DEBUG sees the commands of a later step and none of the kernel’s',
    source: 'Bourne Shell Builtins: trap',
    steps: [{ code: `trap 'echo "[$BASH_COMMAND]"' DEBUG` }, { code: 'x=1\necho $x', stdout: '[x=1]\n[echo $x]\n1\n' }],
  },
  {
    name: 'a trap on ERR fires once for a command that fails',
    source: 'Bourne Shell Builtins: trap',
    steps: [
      { code: `trap 'echo failed' ERR` },
      { code: 'false', stdout: 'failed\n', error: status(1) },
      { code: 'true' },
    ],
  },
  {
    name: 'a trap on INT catches an interrupt of a later step',
    source: 'Signals',
    steps: [
      { code: `trap 'echo taken; stop=1' INT` },
      { code: 'echo up; until [[ $stop ]]; do :; done; echo on', interruptAt: 'up', stdout: /^up\n(taken\n)+on\n$/ },
    ],
  },
  {
    name: 'descriptors that a step opens stay open',
    source: 'Redirections; Bourne Shell Builtins: exec',
    steps: [
      { code: 'exec 3>file 4<<<line' },
      { code: 'echo one >&3; read x <&4; cat file; echo $x', stdout: 'one\nline\n' },
    ],
  },
  {
    name: 'environment variables of one step are restored after it, and after an interrupt',
    source: 'the kernel protocol: env',
    env: { GIVEN: 'before' },
    steps: [
      { code: 'echo "$GIVEN|$NEW"; GIVEN=x', env: { GIVEN: 'a "b"\\\n', NEW: '2' }, stdout: 'a "b"\\\n|2\n' },
      { code: 'echo "$GIVEN|${NEW-none}"', stdout: 'before|none\n' },
      {
        code: 'echo up; sleep 60',
        env: { NEW: '3' },
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      { code: 'echo "${NEW-none}"', stdout: 'none\n' },
    ],
  },
];
