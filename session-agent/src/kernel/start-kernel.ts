import type { Cause } from '@holdfast/specs';
import { deathCause } from './death-cause.ts';
import type { StartKernel } from './kernel.ts';
import type { KernelConfig } from './kernel-config.ts';
import { countOomKills } from './memory-events.ts';
import { encodeRequest, messageReader } from './message-codec.ts';
import { settledWithin } from './settled-within.ts';
import { spawnKernel } from './spawn-kernel.ts';
import { stepRunner } from './step-runner.ts';
import { sweepTree } from './sweep-tree.ts';
import { symbolRequests } from './symbol-requests.ts';

const drainMsMax = 500;
const closedMsMax = 100;

/** Makes the one way to start kernels. */
export function createStartKernel(config: KernelConfig): StartKernel {
  return (options) => {
    const oomKillsBefore = countOomKills(config.memoryEvents ?? []);
    const kernel = spawnKernel(config, options);
    const { control, lifeline, stdout, stderr, tree } = kernel;
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => {});
    let fault: string | undefined;
    let isReady = false;

    const send = (request: Parameters<typeof encodeRequest>[0]) => control.write(encodeRequest(request));
    const runner = stepRunner({ send, onBackground: options.onBackground });
    const symbols = symbolRequests(send);

    const read = messageReader((message) => {
      if (message.type === 'ready') {
        isReady = true;
        ready.resolve();
      } else if (message.type === 'symbols') symbols.receive(message);
      else runner.receive(message);
    });
    control.on('data', (chunk) => {
      if (fault) return;
      try {
        read(chunk);
      } catch (error) {
        fault = `the kernel broke its protocol: ${error instanceof Error ? error.message : error}`.slice(0, 1000);
        void sweepTree(tree);
      }
    });
    stdout.on('data', (chunk) => runner.push('stdout', chunk));
    stderr.on('data', (chunk) => runner.push('stderr', chunk));
    const drained = Promise.all(
      [stdout, stderr].map((reader) => new Promise((resolve) => reader.once('close', resolve))),
    );
    for (const socket of [control, lifeline, stdout, stderr]) socket.on('error', () => {});
    control.once('close', async () => {
      // Normally the process has just ended. One that lives on can neither be asked nor told anything any more.
      if (await settledWithin(kernel.ended, closedMsMax)) return;
      fault ??= 'the kernel closed its channel';
      await sweepTree(tree);
    });

    const exited = kernel.ended.then(async (end): Promise<Cause> => {
      await sweepTree(tree);
      const streamIncomplete = !(await settledWithin(drained, drainMsMax));
      const oomKilled = countOomKills(config.memoryEvents ?? []) > oomKillsBefore;
      const cause = deathCause({ ...end, fault, oomKilled });
      for (const socket of [control, lifeline, stdout, stderr]) socket.destroy();
      ready.reject(new Error(`the kernel died before it was ready: ${cause.message ?? cause.code}`));
      symbols.fail(cause);
      runner.die({ cause, streamIncomplete });
      return cause;
    });

    const interrupt = () => {
      const number = runner.runningNumber();
      if (number === null) return;
      if (!isReady) {
        ready.promise.then(interrupt, () => {});
        return;
      }
      if (kernel.interruptsByLifeline) lifeline.write(uint32(number));
      else signalGroup(tree.pid);
    };

    return {
      pid: tree.pid,
      ready: ready.promise,
      exited,
      execute: runner.execute,
      interrupt,
      symbols: symbols.ask,
      async kill() {
        await sweepTree(tree);
        await exited;
      },
    };
  };
}

/** SIGINT to the whole group, so that programs which the step waits for stop as well. */
function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGINT');
  } catch {
    // It has just died, which ends its step in its own way.
  }
}

function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
