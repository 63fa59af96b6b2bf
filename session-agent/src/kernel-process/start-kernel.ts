import type { Cause } from '@holdfast/specs/public';
import { deathCause } from './death-cause.ts';
import type { Kernel, KernelOptions, StartKernel } from './kernel.ts';
import type { KernelConfig } from './kernel-config.ts';
import { kernelInterrupts } from './kernel-interrupts.ts';
import { kernelOutput } from './kernel-output.ts';
import { kernelQuestions } from './kernel-questions.ts';
import { lateKernel } from './late-kernel.ts';
import { encodeLines, lineReader } from './line-codec.ts';
import { readProcess } from './list-processes.ts';
import { countOomKills } from './memory-events.ts';
import { encodeRequest, messageReader } from './message-codec.ts';
import { settledWithin } from './settled-within.ts';
import { type KernelProcess, spawnKernel } from './spawn-kernel.ts';
import { stepRunner } from './step-runner.ts';
import { sweepTree } from './sweep-tree.ts';

const drainMsMax = 500;
const closedMsMax = 100;
const arrivalMsMax = 500;

/** Makes the one way to start kernels. */
export function createStartKernel(config: KernelConfig): StartKernel {
  return (options) => {
    const oomKillsBefore = countOomKills(config.memoryEvents ?? []);
    const spawned = spawnKernel(config, options);
    const follow = (kernel: KernelProcess) => followKernel({ config, options, oomKillsBefore }, kernel);
    return spawned instanceof Promise ? lateKernel(spawned.then(follow)) : follow(spawned);
  };
}

type Followed = { config: KernelConfig; options: KernelOptions; oomKillsBefore: number };

function followKernel({ config, options, oomKillsBefore }: Followed, kernel: KernelProcess): Kernel {
  const { control, lifeline, tree } = kernel;
  const { onBackground } = options;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let fault: string | undefined;
  let isReady = false;

  const { speaksLines } = kernel;
  const send = (request: Parameters<typeof encodeRequest>[0]) =>
    control.write(speaksLines ? encodeLines(request) : encodeRequest(request));
  const interrupts = kernelInterrupts({ send, isRunning: (number) => runner.isRunning(number) }, kernel);
  const interrupt = (number: number) => {
    if (!runner.isRunning(number)) return;
    if (isReady) interrupts.interrupt(number);
    else ready.promise.then(() => interrupt(number)).catch(() => {});
  };
  const output = kernelOutput(
    {
      tmp: config.tmp,
      onStep: (stream, bytes) => runner.output(stream, bytes),
      onMark: () => runner.marked(),
      onBackground,
    },
    kernel,
  );
  // A signal says not for which step it came: before the next one is sent, an answer proves that it has arrived.
  const change = () => {
    const changed = output.change();
    if (!interrupts.takeLate()) return changed;
    const answered = questions.complete({ code: '', cursor: 0 }).catch(() => {});
    return settledWithin(answered, arrivalMsMax).then(() => changed);
  };
  const runner = stepRunner({ send, interrupt, output: { ...output, change }, onBackground });
  const questions = kernelQuestions(send);

  const read = (speaksLines ? lineReader : messageReader)((message) => {
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
      void sweepTree(tree);
    }
  });
  for (const socket of [control, lifeline]) socket.on('error', () => {});
  control.once('close', async () => {
    // Normally the process has just ended. One that lives on can neither be asked nor told anything any more.
    if (await settledWithin(kernel.ended, closedMsMax)) return;
    if (readProcess(tree.pid)?.startedAt !== tree.startedAt) return;
    fault ??= 'the kernel closed its channel';
    await sweepTree(tree);
  });

  const exited = kernel.ended.then(async (end): Promise<Cause> => {
    await sweepTree(tree);
    const streamIncomplete = !(await output.drained(drainMsMax));
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
    async kill() {
      await sweepTree(tree);
      await exited;
    },
  };
}
