import { type KernelSymbol, type Language, newId, type Result, type StepError } from '@holdfast/specs';
import { findPython } from '../src/kernel/find-python.ts';
import type { Kernel, KernelStepEnd } from '../src/kernel/kernel.ts';
import type { KernelConfig } from '../src/kernel/kernel-config.ts';
import { createStartKernel } from '../src/kernel/start-kernel.ts';

const path = process.env.PATH ?? '/usr/bin:/bin';

/** What a step brought forth, with the time of its first byte of output in ms from its start. */
export type Seen = {
  end: KernelStepEnd;
  stdout: string;
  stderr: string;
  chunks: string[];
  results: Result[];
  /** `text/plain` of the main result. */
  shown: unknown;
  error: StepError | undefined;
  firstOutputMs: number;
  ms: number;
};

export type OpenKernel = {
  kernel: Kernel;
  run: (code: string, onOutput?: (text: string) => void) => Promise<Seen>;
  background: () => string;
  symbol: (name: string) => Promise<KernelSymbol | undefined>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const python = findPython(path, process.env.HOLDFAST_TEST_PYTHON);

export async function kernelConfig(): Promise<KernelConfig> {
  return { python: await python, node: process.execPath, path, home: '/', tmp: '/tmp' };
}

/** A kernel that is ready, and dies with the test's scope. */
export async function openKernel(
  language: Language,
  {
    env = {},
    cwd = '/tmp',
    config = {},
  }: { env?: Record<string, string>; cwd?: string; config?: Partial<KernelConfig> } = {},
): Promise<OpenKernel> {
  let background = '';
  const start = createStartKernel({ ...(await kernelConfig()), ...config });
  const onBackground = (_stream: string, bytes: Buffer) => {
    background += bytes.toString();
  };
  const kernel = start({ language, cwd, env, onBackground });
  await kernel.ready;
  return {
    kernel,
    run: (code, onOutput) => run(kernel, code, onOutput),
    background: () => background,
    symbol: async (name) => (await kernel.symbols()).find((symbol) => symbol.name === name),
    [Symbol.asyncDispose]: () => kernel.kill(),
  };
}

async function run(kernel: Kernel, code: string, onOutput: (text: string) => void = () => {}): Promise<Seen> {
  const started = performance.now();
  const output = { stdout: '', stderr: '' };
  const chunks: string[] = [];
  const results: Result[] = [];
  let error: StepError | undefined;
  let firstOutputMs = Number.NaN;
  const end = await kernel.execute(
    { stepId: newId('stp'), code },
    {
      output(stream, bytes) {
        if (chunks.length === 0) firstOutputMs = performance.now() - started;
        // Decoded chunk by chunk, so that half a character would show.
        const text = bytes.toString();
        chunks.push(text);
        output[stream] += text;
        onOutput(text);
      },
      result: (result) => void results.push(result),
      error(found) {
        error = found;
      },
    },
  );
  const shown = results.find(({ isMain }) => isMain)?.data['text/plain'];
  return { end, ...output, chunks, results, shown, error, firstOutputMs, ms: performance.now() - started };
}
