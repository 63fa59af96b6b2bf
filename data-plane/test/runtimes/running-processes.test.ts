import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('throws, and does not say that a process is gone, if no file can be opened', () => {
  const program = `
    import { openSync, writeSync } from 'node:fs';
    import { runningProcesses, isStillRunning } from ${JSON.stringify(import.meta.resolve('../../src/runtimes/process/running-processes.ts'))};
    const self = (await runningProcesses()).find(({ pid }) => pid === process.pid);
    try { for (;;) openSync('/dev/null'); } catch {}
    writeSync(1, String(await isStillRunning(self).catch((error) => error.code)));`;
  const { stdout } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, program],
    { encoding: 'utf8' },
  );
  expect(stdout).toBe('EMFILE');
});
