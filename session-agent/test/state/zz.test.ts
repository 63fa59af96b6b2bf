import { test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { saveState } from '../support/state.ts';
test('x', async () => {
  await using k = await openKernel('bash');
  for (const c of ['x=$\'a\\nb\'; declare -A m=([k]=1 [z]=2); declare -i n=4; arr=(1 2 3); declare -r ro=5; declare -u up; ref() { echo hi; }; line=7', 'cd /usr; set -- a "b c"; alias ll="ls -l"; trap "echo u" USR1; trap "echo e" ERR; trap "echo i" INT; exec 7</etc/passwd; shopt -s nullglob; set -u; unset TERM; umask 077; ulimit -Sn 100; sleep 30 & ', 'pushd /tmp >/dev/null; echo ${PIPESTATUS[@]} $!']) {
    const s = await k.run(c); console.log(s.stdout, s.stderr, s.error, s.end);
  }
  for (let i = 0; i < 3; i++) { const t = performance.now(); let u = 0; const a = await saveState(k.kernel, { onAnswered: () => { u = performance.now() - t; } }); console.log(u, performance.now() - t); if (!i) console.log(a.toString()); }
  const s = await k.run('echo $1 $x $line; jobs; echo $!; trap -p; echo "$-"'); console.log(s.stdout, s.stderr, s.error, s.end, k.background());
});
