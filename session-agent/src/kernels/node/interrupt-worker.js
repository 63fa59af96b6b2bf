import { Session } from 'node:inspector';
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

// Reads step numbers from fd 4. A main thread that can still listen abandons its step and says so; one that cannot is
// terminated, but only while that step runs: a termination that comes later would hit the next one.
const roundMs = 40;
const [runningAt, acknowledgedAt, consumedAt, cameAt] = [0, 1, 2, 3];
const shared = workerData;
let terminating = false;

const lifeline = new Socket({ fd: 4, writable: false });
let received = Buffer.alloc(0);
lifeline.on('data', (chunk) => {
  received = Buffer.concat([received, chunk]);
  for (; received.length >= 4; received = received.subarray(4)) begin(received.readUInt32BE(0));
});
// The agent is gone, and a main thread in a busy loop would never notice.
lifeline.on('close', () => process.kill(process.pid, 'SIGKILL'));
lifeline.on('error', () => {});

function begin(number) {
  if (Atomics.load(shared, runningAt) !== number) return;
  Atomics.store(shared, cameAt, number);
  // The whole group, for the sake of programs that the step waits for; the kernel itself ignores this signal.
  process.kill(0, 'SIGINT');
  interrupt(number);
}

function interrupt(number) {
  if (Math.abs(Atomics.load(shared, runningAt)) !== number) return;
  // Asked again in each round: a termination may have hit the main thread just while it listened.
  parentPort.postMessage(number);
  setTimeout(() => {
    if (Atomics.load(shared, acknowledgedAt) === number) return;
    const was = Atomics.compareExchange(shared, runningAt, number, -number);
    if (was !== number && was !== -number) return;
    if (!terminating) terminateMain(number);
    interrupt(number);
  }, roundMs);
}

/** Connects for as long as it takes: a process with a connected inspector waits for it before it exits. */
function terminateMain(number) {
  terminating = true;
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.terminateExecution', () => {
    Atomics.store(shared, consumedAt, number);
    Atomics.notify(shared, consumedAt);
    session.disconnect();
    terminating = false;
  });
}
