import { createChoices } from './random-choices.ts';

/** A bash program as steps: counters, arrays, functions that call one another, options and directories, redefined, changed, removed. */
export function bashProgram(seed: number, length: number): string[] {
  const { below, one, any, made, some, number, steps } = createChoices(seed, {
    n: ['n0'],
    t: ['t0'],
    l: ['l0'],
    m: ['m0'],
    f: ['f0'],
  });
  const text = () => some('t');
  const list = () => some('l');
  const plain = () => some('f');
  const values = [
    () => `${made('n')}=${below(100)}`,
    () => `${some('n')}=$((${number()} * 2 + ${number()}))`,
    () => `((${some('n')} += ${number()})); :`,
    () => `${made('t')}="$${text()}${below(9)}"`,
    () => `${made('t')}=$'a\\n"${below(9)} é'`,
    () => `${text()}+=' x*'`,
    () => `${made('t')}="\${${text()}%x*}\${#${list()}[@]}"`,
    () => `${made('l')}=(a${below(9)} "b c" ${below(9)})`,
    () => `${list()}+=("$${text()}")`,
    () => `${list()}[${below(5)}]=${below(50)}`,
    () => `declare -A ${made('m')}; ${some('m')}[k${below(5)}]=v${below(9)}`,
    () => `unset ${any('n')} ${any('t')}`,
    () => `unset "${list()}[1]"`,
    () => `export ${text()}`,
    () => `declare -u ${any('u')}; ${any('u')}=abc${below(5)}`,
    () => `declare -i ${any('i')}=${below(20)}`,
    () => `printf -v ${made('t')} %03d ${below(9)}`,
    () => `read -r ${made('t')} <<<"line ${below(9)}"`,
    () => `mapfile -t ${made('l')} < <(printf '%s\\n' a b)`,
  ];
  const functions = [
    () => `${made('f')}() { echo "$1 $${text()}"; }`,
    () => `${made('f')}() {\n  ((${some('n')} += ${below(5)}))\n  ${text()}="$1"\n}`,
    () => `${made('f')}() { local n0=${below(9)} l0=(x); l0+=("$n0"); echo "\${l0[@]}"; }`,
    () => {
      const at = 1 + below(5);
      // Calls only those before it, so that no call goes on without end.
      return `f${at}() { if [ "$1" = ${below(4)} ]; then echo stop; else f${below(at)} ${below(4)}; fi; }`;
    },
    () => `${made('f')}() (\n  cd /tmp; ${some('n')}=9\n)`,
    () => `${made('f')}() {\n  cat <<END\n$1 ${below(9)}\nEND\n  case $1 in a*) ${text()}=$1 ;; *) return 0 ;; esac\n}`,
    () => `${plain()} ${below(5)}`,
    () => `${made('t')}=$(${plain()} ${below(5)})`,
    () => `unset -f ${any('f')}`,
  ];
  const flow = [
    () => `for i9 in 1 2 3; do ${some('n')}=$((${some('n')} + i9)); done`,
    () => `if [ "$${text()}" = x ]; then ${text()}=y; fi`,
    () => `case $${text()} in\n  te*|x) ${made('t')}=matched ;;\n  *) ${some('n')}=${below(9)}; : ;;\nesac`,
    () => `case "${below(3)}" in (0) ${some('n')}=0;; [12]) echo other;; esac`,
    () => `cat <<END\nit is $${text()} and $((${some('n')} + 1))\nEND`,
    () => `cat <<'END' | grep -c x >/dev/null; :\n$${text()}=x; unset ${some('n')}\nEND`,
    () => `read -r ${made('t')} ${made('t')} <<END\nfirst ${below(9)}\nEND`,
    () => `${made('t')}=$(cat <<-END\n\tinner ${below(9)}\n\tEND\n)`,
    () => `while read -r line; do ${list()}+=("$line"); done <<END\na\n$${text()}\nEND`,
    () => `true & wait`,
    () => `sleep 0 & echo started; wait`,
    () => `{ ${some('n')}=${below(9)}; echo in; } & wait`,
    () => `echo "$${text()} \${${list()}[@]}"`,
    () => `ls / | grep -c bin`,
    () => `# a comment\n`,
    () => `cd /usr`,
    () => `cd "$(echo /tmp)"`,
    () => `false`,
    () => `${text()}=set; ls /missing`,
    () => `[ "$${text()}" = set ] && ${some('n')}=1 || ${made('n')}=2`,
  ];
  const sources = [
    () =>
      `echo '${some('n')}=${below(9)}; sourced() { echo "$1"; }' >/tmp/holdfast-sourced-${seed}.sh\n. /tmp/holdfast-sourced-${seed}.sh`,
    () => `source /tmp/holdfast-sourced-${seed}.sh`,
    () => `alias q${below(3)}='echo q'`,
    () => `unalias q${below(3)}`,
    () => `trap 'n0=${below(9)}' USR1`,
    () => `trap - USR1`,
    () => `trap "echo bye" EXIT; trap -p >/dev/null`,
  ];
  const rare = [
    () => `eval "${some('n')}=${below(9)}"`,
    () => `set -- a ${below(5)}`,
    () => `declare -n r${below(3)}=${text()}; r0=${below(9)}`,
    () => `readonly c${below(3)}=${below(9)}`,
    () => `shopt -s nullglob; set -f`,
    ...sources,
  ];
  const groups = [values, values, functions, flow];
  const first = 'n0=1; t0=text; l0=(1 \'2 3\'); declare -A m0=([k]=v [b]=w)\nf0() { echo "$1"; }';
  return steps(
    first,
    length,
    groups.map((group) => () => one(group)()),
    rare,
  );
}
