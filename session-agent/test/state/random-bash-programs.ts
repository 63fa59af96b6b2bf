import { randomFrom } from './random-programs.ts';

/** A bash program as steps: counters, arrays, functions that call one another, options and directories, redefined, changed, removed. */
export function bashProgram(seed: number, length: number): string[] {
  const random = randomFrom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const known = { number: ['n0'], text: ['t0'], list: ['l0'], map: ['m0'], plain: ['f0'] };
  const fresh = (kind: string) => `${kind}${below(6)}`;
  const note = (kind: keyof typeof known, name: string) => {
    if (!known[kind].includes(name)) known[kind].push(name);
    return name;
  };
  const number = () => (random() < 0.5 ? one(known.number) : `${below(100)}`);
  const shapes: (() => string)[] = [
    () => `${note('number', fresh('n'))}=${below(100)}`,
    () => `${one(known.number)}=$((${number()} * 2 + ${number()}))`,
    () => `((${one(known.number)} += ${number()})); :`,
    () => `${note('text', fresh('t'))}="$${one(known.text)}${below(9)}"`,
    () => `${note('text', fresh('t'))}=$'a\\n"${below(9)} é'`,
    () => `${one(known.text)}+=' x*'`,
    () => `${note('list', fresh('l'))}=(a${below(9)} "b c" ${below(9)})`,
    () => `${one(known.list)}+=("$${one(known.text)}")`,
    () => `${one(known.list)}[${below(5)}]=${below(50)}`,
    () => `declare -A ${note('map', fresh('m'))}; ${one(known.map)}[k${below(5)}]=v${below(9)}`,
    () => `unset ${fresh('n')} ${fresh('t')}`,
    () => `export ${one(known.text)}`,
    () => `declare -u ${fresh('u')}; ${fresh('u')}=abc${below(5)}`,
    () => `declare -i ${fresh('i')}=${below(20)}`,
    () => `${note('plain', fresh('f'))}() { echo "$1 $${one(known.text)}"; }`,
    () => `${note('plain', fresh('f'))}() {\n  ((${one(known.number)} += ${below(5)}))\n  ${one(known.text)}="$1"\n}`,
    () => {
      const at = 1 + below(5);
      // Calls only those before it, so that no call goes on without end.
      return `${note('plain', `f${at}`)}() { if [ "$1" = ${below(4)} ]; then echo stop; else f${below(at)} ${below(4)}; fi; }`;
    },
    () => `${one(known.plain)} ${below(5)}`,
    () => `${note('text', fresh('t'))}=$(${one(known.plain)} ${below(5)})`,
    () => `for i9 in 1 2 3; do ${one(known.number)}=$((${one(known.number)} + i9)); done`,
    () => `if [ "$${one(known.text)}" = x ]; then ${one(known.text)}=y; fi`,
    () => `echo "$${one(known.text)} \${${one(known.list)}[@]}"`,
    () => `ls / | grep -c bin`,
    () => `# a comment\n`,
    () => `cd /usr`,
    () => `cd "$(echo /tmp)"`,
    () => `false`,
    () => `${one(known.text)}=set; ls /missing`,
    () => `unset -f ${fresh('f')}`,
    () => `read -r ${note('text', fresh('t'))} <<<"line ${below(9)}"`,
    () => `printf -v ${note('text', fresh('t'))} %03d ${below(9)}`,
  ];
  const rare: (() => string)[] = [
    () => `eval "${one(known.number)}=${below(9)}"`,
    () => `set -- a ${below(5)}`,
    () => `alias q${below(3)}='echo q'`,
    () => `trap 'n0=0' USR1`,
    () => `declare -n r${below(3)}=${one(known.text)}; r0=${below(9)}`,
    () => `readonly c${below(3)}=${below(9)}`,
    () => `shopt -s nullglob; set -f`,
  ];
  const steps = ['n0=1; t0=text; l0=(1 \'2 3\'); declare -A m0=([k]=v [b]=w)\nf0() { echo "$1"; }'];
  while (steps.length < length) steps.push(one(random() < 0.015 ? rare : shapes)());
  return steps;
}
