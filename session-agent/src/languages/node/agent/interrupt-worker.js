import { Session } from 'node:inspector';
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

// Reads step numbers from fd 4. A main thread that can still receive messages abandons its step and acknowledges. Otherwise this
// worker terminates its execution, but only while that step runs or waits to begin: a later termination would hit the next step.
const roundMs = 40;
const signalRounds = 6;
const { shared, slots } = workerData;
let terminations = 0;
let isTerminating = false;

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
  if (!isCurrent(number)) return;
  Atomics.store(shared, slots.came, number);
  // The signal goes to the whole group, so that programs that the step waits for stop as well. The kernel itself ignores this signal.
  process.kill(0, 'SIGINT');
  interrupt(number);
}

/** Whether the step runs, or has not begun yet because earlier code occupies the main thread. */
function isCurrent(number) {
  return Math.abs(Atomics.load(shared, slots.running)) === number || number > Atomics.load(shared, slots.begun);
}

function interrupt(number, round = 1) {
  // Sent again in each round: a termination may have hit the main thread just while it handled the message.
  parentPort.postMessage(number);
  setTimeout(() => {
    if (Atomics.load(shared, slots.acknowledged) === number || !isCurrent(number)) return;
    // A program that was just about to be executed did not receive the first signal.
    if (round % signalRounds === 0) process.kill(0, 'SIGINT');
    const was = Atomics.compareExchange(shared, slots.running, number, -number);
    if (was !== 0 && Math.abs(was) !== number) return;
    if (!isTerminating) terminateMain();
    interrupt(number, round + 1);
  }, roundMs);
}

/** Connects only for the termination: a process with a connected inspector waits for it before it exits. */
function terminateMain() {
  isTerminating = true;
  Atomics.store(shared, slots.terminating, ++terminations);
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.terminateExecution', () => {
    Atomics.store(shared, slots.consumed, terminations);
    Atomics.notify(shared, slots.consumed);
    session.disconnect();
    isTerminating = false;
  });
}
