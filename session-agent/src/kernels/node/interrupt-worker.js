import { readSync } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';

// Reads step numbers from fd 4. A main thread that can still listen abandons its step and says so; one that cannot is
// terminated, but only while that step runs: a termination that comes later would hit the next one.
const acknowledgeMs = 40;
const terminationsMax = 5;
const [runningAt, acknowledgedAt] = [0, 1];
const shared = workerData;
const session = new Session();
session.connectToMainThread();

const bytes = Buffer.alloc(4);
for (;;) {
  readNumber();
  interrupt(bytes.readUInt32BE(0));
}

function readNumber() {
  for (let have = 0; have < 4; ) {
    const count = readSync(4, bytes, have, 4 - have, null);
    // The agent is gone, and a main thread in a busy loop would never notice.
    if (count === 0) process.kill(process.pid, 'SIGKILL');
    have += count;
  }
}

function interrupt(number) {
  if (Atomics.load(shared, runningAt) !== number) return;
  parentPort.postMessage(number);
  for (let round = 0; round < terminationsMax; round++) {
    Atomics.wait(shared, acknowledgedAt, Atomics.load(shared, acknowledgedAt) === number ? -1 : Atomics.load(shared, acknowledgedAt), acknowledgeMs);
    if (Atomics.load(shared, acknowledgedAt) === number) return;
    const was = Atomics.compareExchange(shared, runningAt, number, -number);
    if (was !== number && was !== -number) return;
    session.post('Runtime.terminateExecution');
  }
}
