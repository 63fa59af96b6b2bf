import {
  type CommMessage,
  type Completions,
  type ContextLimits,
  type Inspection,
  type KernelSymbol,
  type Language,
  newId,
  type ResourceUsage,
  type Result,
  type StepError,
} from '@holdfast/specs/public';
import { readProcess } from '../../src/kernel-process/end/list-processes.ts';
import { createSharedSweeps } from '../../src/kernel-process/end/shared-sweeps.ts';
import type { InputRequest, Kernel, KernelStepEnd } from '../../src/kernel-process/kernel.ts';
import type { KernelConfig } from '../../src/kernel-process/kernel-config.ts';
import { findPython } from '../../src/kernel-process/start/find-python.ts';
import { createStartKernel } from '../../src/kernel-process/start/start-kernel.ts';
import { createZygote, type Zygote } from '../../src/kernel-process/zygote/zygote.ts';
import { jupyterPath } from './jupyter-path.ts';
import { until } from './until.ts';

const path = process.env.PATH ?? '/usr/bin:/bin';

/** The output and results of a step. */
export type Seen = {
  stepId: string;
  /** Without its usage, which differs from run to run. */
  end: KernelStepEnd;
  usage: ResourceUsage | undefined;
  stdout: string;
  stderr: string;
  chunks: string[];
  results: Result[];
  comms: CommMessage[];
  /** `text/plain` of the main result. */
  shown: unknown;
  error: StepError | undefined;
  /** The input requests of the code, in order. */
  asked: InputRequest[];
  ms: number;
};

/** `stdin` allows input and answers each request; `undefined` leaves a request unanswered. */
export type StepOptions = {
  env?: Record<string, string>;
  /** A message of a front end, which the step handles instead of code. */
  comm?: CommMessage;
  stdin?: (request: InputRequest) => string | null | undefined;
};

export type OpenKernel = {
  kernel: Kernel;
  run: (code: string, onOutput?: (text: string) => void, options?: StepOptions) => Promise<Seen>;
  /** All background output, or that of one step, or of one of its streams. */
  background: (stepId?: string | null, stream?: 'stdout' | 'stderr') => string;
  backgroundComms: { message: CommMessage; stepId: string | null }[];
  /** The cursor counts Unicode characters; by default it is at the end. */
  complete: (code: string, cursor?: number) => Promise<Completions>;
  inspect: (code: string, cursor?: number) => Promise<Inspection>;
  symbol: (name: string) => Promise<KernelSymbol | undefined>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

type KernelWish = {
  env?: Record<string, string>;
  cwd?: string;
  limits?: ContextLimits;
  isConfined?: boolean;
  config?: Partial<KernelConfig>;
  /** Forks the kernel from a zygote with these libraries. */
  zygote?: readonly string[] | undefined;
};

/** That of the test run, which has IPython, or the one that the environment names as it is. */
const python = findPython(path, process.env.HOLDFAST_TEST_PYTHON);

export async function kernelConfig(): Promise<KernelConfig> {
  const places = { path, home: '/', jupyterPath, tmp: '/tmp', agentTmp: '/tmp' };
  return { python: await python, node: process.execPath, ...places, sweep: createSharedSweeps() };
}

/** Opens a ready kernel that is killed at the end of the test's scope. */
export async function openKernel(
  language: Language,
  { env = {}, cwd = '/tmp', limits, isConfined, config: changes = {}, zygote: preload }: KernelWish = {},
): Promise<OpenKernel> {
  const background: { stepId: string | null; stream: string; text: string }[] = [];
  const config = { ...(await kernelConfig()), ...changes };
  const zygote = preload && (await openZygote(config, preload));
  const start = createStartKernel({ ...config, ...(zygote && { zygote }) });
  const onBackground = (stream: string, output: Buffer | string, stepId: string | null) => {
    background.push({ stepId, stream, text: output.toString() });
  };
  const backgroundComms: OpenKernel['backgroundComms'] = [];
  const onBackgroundComm = (message: CommMessage, stepId: string | null) => {
    backgroundComms.push({ message, stepId });
  };
  const kernel = start({ language, cwd, env, limits, isConfined, onBackground, onBackgroundComm });
  await kernel.ready;
  if (zygote && readProcess(kernel.pid)?.parent === process.pid) throw new Error('the kernel is none of the zygote');
  return {
    kernel,
    run: (code, onOutput, options) => run(kernel, code, onOutput, options),
    background: (stepId, stream) =>
      background
        .filter((one) => (stepId === undefined || stepId === one.stepId) && (stream ?? one.stream) === one.stream)
        .map(({ text }) => text)
        .join(''),
    backgroundComms,
    complete: (code, cursor = [...code].length) => kernel.complete({ code, cursor }),
    inspect: (code, cursor = [...code].length) => kernel.inspect({ code, cursor }),
    symbol: async (name) => (await kernel.symbols()).find((symbol) => symbol.name === name),
    async [Symbol.asyncDispose]() {
      zygote?.end();
      await kernel.kill();
    },
  };
}

/** Starts a zygote and waits for its reserve. */
export async function openZygote(config: KernelConfig, preload: readonly string[]): Promise<Zygote> {
  const zygote = createZygote(config, { preload, startAfterMs: 0 });
  await until('the zygote', zygote.isWarm, 20_000);
  return zygote;
}

const withUsage = (end: KernelStepEnd): KernelStepEnd & { usage?: ResourceUsage | undefined } => end;

async function run(
  kernel: Kernel,
  code: string,
  onOutput: (text: string) => void = () => {},
  { env, comm, stdin }: StepOptions = {},
): Promise<Seen> {
  const started = performance.now();
  const output = { stdout: '', stderr: '' };
  const chunks: string[] = [];
  const results: Result[] = [];
  const comms: CommMessage[] = [];
  const asked: InputRequest[] = [];
  const stepId = newId('stp');
  let error: StepError | undefined;
  const { usage, ...end } = withUsage(
    await kernel.execute(
      { stepId, code, comm, env, stdin: stdin !== undefined },
      {
        output(stream, bytes) {
          // Decodes chunk by chunk, so that half a character would be visible.
          const text = bytes.toString();
          chunks.push(text);
          output[stream] += text;
          onOutput(text);
        },
        result: (result) => void results.push(result),
        comm: (message) => void comms.push(message),
        error(found) {
          error = found;
        },
        inputRequest(request) {
          asked.push(request);
          const text = stdin?.(request);
          if (text !== undefined) kernel.input(stepId, text);
        },
      },
    ),
  );
  const shown = results.find(({ isMain }) => isMain)?.data['text/plain'];
  return {
    stepId,
    end,
    usage,
    ...output,
    chunks,
    results,
    comms,
    shown,
    error,
    asked,
    ms: performance.now() - started,
  };
}
