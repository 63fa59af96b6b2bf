/** Goes on after a sandbox is lost: files and variables come back in the next one, and the session says what did not. */
import { Holdfast, HoldfastError } from '@holdfast/sdk';

await using session = await new Holdfast().sessions.create({ recovery: 'auto' });
await session.files.write('notes.txt', 'measured on Monday');
await session.run(
  'import threading\nreadings = [20.1, 19.8]\ndef mean(): return sum(readings) / len(readings)\nlock = threading.Lock()',
);
await session.snapshots.create();

// The code takes down everything in its sandbox, as a machine that fails does.
const { status, cause } = await session.run('import os, signal\nos.kill(os.getppid(), signal.SIGKILL)');
console.log(status, cause?.code);

for (;;) {
  try {
    console.log(
      'mean:',
      (await session.run('round(mean(), 2)')).text,
      '| notes:',
      await session.files.readText('notes.txt'),
    );
    break;
  } catch (error) {
    // The new sandbox is on its way.
    if (!(error instanceof HoldfastError) || error.status !== 503) throw error;
  }
}
const { record } = await session.refresh();
console.log(JSON.stringify(record.lastRecovery, null, 1));
