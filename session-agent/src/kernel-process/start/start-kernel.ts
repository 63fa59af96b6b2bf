import type { Cause } from '@holdfast/specs/public';
import { deathCause } from '../end/death-cause.ts';
import { readProcess } from '../end/list-processes.ts';
import { countOomKills } from '../end/memory-events.ts';
import type { Kernel, KernelOptions, StartKernel } from '../kernel.ts';
import type { KernelConfig } from '../kernel-config.ts';
import type { KernelProcess } from '../kernel-process.ts';
import { createLineReader, encodeLines } from '../messages/line-codec.ts';
import { createMessageReader, encodeRequest } from '../messages/message-codec.ts';
import { createKernelOutput } from '../output/kernel-output.ts';
import { createKernelInterrupts } from '../run/kernel-interrupts.ts';
import { createKernelQuestions } from '../run/kernel-questions.ts';
import { createStepRunner } from '../run/step-runner.ts';
import { settledWithin } from '../settled-within.ts';
import { createPendingKernel } from './pending-kernel.ts';
import { spawnKernel } from './spawn-kernel.ts';

const outputMsMax = 500;
const exitMsMax = 100;
const signalMsMax = 500;

/** Composes `StartKernel` from the parts in the neighbouring folders. */
export function createStartKernel(config: KernelConfig): StartKernel {
  return (options) => {
    const oomKillsBefore = countOomKills(config.memoryEvents ?? []);
    const spawned = spawnKernel(config, options);
    const follow = (kernel: KernelProcess) => followKernel({ config, options, oomKillsBefore }, kernel);
    return spawned instanceof Promise ? createPendingKernel(spawned.then(follow)) : follow(spawned);
  };
}

type KernelStart = { config: KernelConfig; options: KernelOptions; oomKillsBefore: number };

function followKernel({ config, options, oomKillsBefore }: KernelStart, kernel: KernelProcess): Kernel {
  const { control, lifeline, tree } = kernel;
  const { onBackground, onBackgroundComm } = options;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let fault: string | undefined;
  let isReady = false;
  const isConfined = options.isConfined ?? false;

  const { speaksLines } = kernel;
  const send = (request: Parameters<typeof encodeRequest>[0]) =>
    control.write(speaksLines ? encodeLines(request) : encodeRequest(request));
  const interrupts = createKernelInterrupts({ send, isRunning: (number) => runner.isRunning(number) }, kernel);
  const interrupt = (number: number) => {
    if (!runner.isRunning(number)) return;
    if (isReady) interrupts.interrupt(number);
    else ready.promise.then(() => interrupt(number)).catch(() => {});
  };
  const output = createKernelOutput(
    {
      tmp: config.agentTmp,
      onStep: (stream, bytes) => runner.output(stream, bytes),
      onMark: (stream, mark) => runner.mark(stream, mark),
      onBackground,
    },
    kernel,
  );
  // A signal does not name its step. Before the next step is sent, an answer to a question proves that the signal has arrived.
  const prepareStreams = () => {
    const prepared = output.prepareStreams();
    if (!interrupts.takePendingSignal()) return prepared;
    const answered = questions.complete({ code: '', cursor: 0 }).catch(() => {});
    return settledWithin(answered, signalMsMax).then(() => prepared);
  };
  const pauseMessages = (isPaused: boolean) => void (isPaused ? control.pause() : control.resume());
  const runner = createStepRunner({
    send,
    interrupt,
    output: { ...output, prepareStreams },
    pauseMessages,
    onBackground,
    onBackgroundComm,
  });
  const questions = createKernelQuestions(send);

  const read = (speaksLines ? createLineReader : createMessageReader)((message) => {
    if (message.type === 'ready') {
      isReady = true;
      ready.resolve();
    } else if (message.type === 'begun') interrupts.begun(message.number);
    else if ('stepId' in message) runner.receive(message);
    else questions.receive(message);
  });
  control.on('data', (chunk) => {
    if (fault) return;
    try {
      read(chunk);
    } catch (error) {
      fault = `the kernel broke its protocol: ${error instanceof Error ? error.message : error}`.slice(0, 1000);
      void config.sweep(tree);
    }
  });
  for (const socket of [control, lifeline]) socket.on('error', () => {});
  control.once('close', async () => {
    // Normally the process has just ended. If it lives on, it can no longer receive anything.
    if (await settledWithin(kernel.ended, exitMsMax)) return;
    if (readProcess(tree.pid)?.startedAt !== tree.startedAt) return;
    fault ??= 'the kernel closed its channel';
    await config.sweep(tree);
  });

  const unregister = config.operations?.register(tree.marker.replace(/^HOLDFAST_KERNEL=/, ''), runner.call);

  const exited = kernel.ended.then(async (end): Promise<Cause> => {
    unregister?.();
    await config.sweep(tree);
    const streamIncomplete = !(await output.untilDrained(outputMsMax));
    const oomKilled = countOomKills(config.memoryEvents ?? []) > oomKillsBefore;
    const cause = deathCause({ ...end, fault, oomKilled, limits: options.limits });
    control.destroy();
    lifeline.destroy();
    ready.reject(new Error(`the kernel died before it was ready: ${cause.message ?? cause.code}`));
    questions.fail(cause);
    runner.die({ cause, streamIncomplete });
    output.close();
    return cause;
  });

  return {
    pid: tree.pid,
    ready: ready.promise,
    exited,
    execute: runner.execute,
    input: runner.input,
    interrupt: runner.interrupt,
    symbols: questions.symbols,
    complete: questions.complete,
    inspect: questions.inspect,
    parse: questions.parse,
    snapshot: questions.snapshot,
    recover: async ({ onCall, ...wanted }) => {
      runner.recoverCalls(onCall);
      return await questions.recover(wanted).finally(() => runner.recoverCalls(null));
    },
    isConfined,
    async kill() {
      await config.sweep(tree);
      await exited;
    },
  };
}
