import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cause, Language } from '@holdfast/specs/public';
import { describe, expect, test } from 'vitest';
import { type OpenKernel, openKernel, type Seen } from '../../support/open-kernel.ts';
import { until } from '../../support/until.ts';

type Text = string | RegExp;

/** One step and all that it produces. A property that is left out must be empty or absent. */
export type BehaviourStep = {
  code: string;
  /** Variables for this step alone. */
  env?: Record<string, string>;
  /** Answers to the code's requests for input, in order; null is the end of input. Without it the step may not ask. */
  stdin?: readonly (string | null)[];
  /** Interrupts the step once it has written this. */
  interruptAt?: string;
  stdout?: Text;
  stderr?: Text;
  /** `text/plain` of the last expression's value. */
  shown?: Text;
  /** `text/plain` of the other results, in order. */
  displayed?: readonly Text[];
  /** The prompts of the step's requests for input, in order. */
  prompts?: readonly string[];
  error?: { name: Text; message?: Text; traceback?: RegExp };
  /** `failed` by default if there is an error, else `succeeded`. */
  status?: 'succeeded' | 'failed' | 'interrupted' | 'died';
  cause?: Partial<Cause>;
  /** The code with which it exits. */
  exitCode?: number | undefined;
  /** Background output of this step, which may come after its end. */
  background?: Text;
};

/** One behaviour of a language, with the source that says that it is right. */
export type Behaviour = {
  name: string;
  source: string;
  /** Files in the working directory, which is empty otherwise; programs among them begin with `#!`. */
  files?: Record<string, string>;
  env?: Record<string, string>;
  /** They run one after the other in one context. A kernel that dies is not replaced. */
  steps: readonly BehaviourStep[];
};

/** Runs a table of behaviours, each in a kernel and a working directory of its own. */
export function runBehaviours(language: Language, subject: string, behaviours: readonly Behaviour[]): void {
  describe(`${language}: ${subject}`, () => {
    test.for(behaviours.map((behaviour) => [behaviour.name, behaviour] as const))('%s', async ([, behaviour]) => {
      const cwd = mkdtempSync('/tmp/holdfast-test-');
      try {
        for (const [name, content] of Object.entries(behaviour.files ?? {})) {
          writeFileSync(join(cwd, name), content);
          if (content.startsWith('#!')) chmodSync(join(cwd, name), 0o755);
        }
        await using open = await openKernel(language, { cwd, env: { HOME: cwd, ...behaviour.env } });
        for (const step of behaviour.steps)
          await runOne(open, language === 'bash' ? { ...step, exitCode: exitStatus(step) } : step);
      } finally {
        rmSync(cwd, { recursive: true, force: true });
      }
    });
  });
}

async function runOne(open: OpenKernel, step: BehaviourStep): Promise<void> {
  const answers = [...(step.stdin ?? [])];
  let written = '';
  const interrupt = (text: string) => {
    if (step.interruptAt === undefined || written.includes(step.interruptAt)) return;
    written += text;
    if (written.includes(step.interruptAt)) open.kernel.interrupt();
  };
  const seen = await open.run(step.code, interrupt, {
    ...(step.env ? { env: step.env } : {}),
    ...(step.stdin ? { stdin: () => answers.shift() } : {}),
  });
  compare(seen, step);
  const { background } = step;
  if (background !== undefined)
    await until('the background output', () => matches(open.background(seen.stepId), background));
}

function compare(seen: Seen, step: BehaviourStep): void {
  const status = step.status ?? (step.error ? 'failed' : 'succeeded');
  const { error } = seen;
  expect({
    status: seen.end.status,
    exitCode: 'exitCode' in seen.end ? seen.end.exitCode : undefined,
    stdout: seen.stdout,
    stderr: seen.stderr,
    shown: seen.shown,
    displayed: seen.results.filter(({ isMain }) => !isMain).map(({ data }) => data['text/plain']),
    prompts: seen.asked.map(({ prompt }) => prompt),
    error: error && { ...error, traceback: error.traceback.join('\n') },
  }).toEqual({
    status,
    exitCode: step.exitCode,
    stdout: expected(step.stdout ?? ''),
    stderr: expected(step.stderr ?? ''),
    shown: step.shown === undefined ? undefined : expected(step.shown),
    displayed: (step.displayed ?? []).map(expected),
    prompts: step.prompts ?? [],
    error: expectedError(step),
  });
  expect(seen.end).toMatchObject(step.cause ? { cause: step.cause } : {});
}

/** Each step of a shell has an exit status, which the error names unless it is one of the code's syntax. */
function exitStatus(step: BehaviourStep): number | undefined {
  const { status, error } = step;
  if (status === 'died' || 'exitCode' in step) return step.exitCode;
  if (status === 'interrupted') return interrupted;
  if (!error) return 0;
  const named = /^exit status (\d+)$/.exec(String(error.message));
  return named ? Number(named[1]) : expect.any(Number);
}

/** 128 and the number of SIGINT. */
const interrupted = 130;

function expectedError({ error, status }: BehaviourStep): unknown {
  // An interrupted step also has an error, whose text depends on the language.
  if (!error) return status === 'interrupted' ? expect.anything() : undefined;
  return {
    name: expected(error.name),
    message: error.message === undefined ? expect.any(String) : expected(error.message),
    traceback: error.traceback ? expect.stringMatching(error.traceback) : expect.any(String),
  };
}

const expected = (text: Text): unknown => (typeof text === 'string' ? text : expect.stringMatching(text));
const matches = (found: string, text: Text) => (typeof text === 'string' ? found === text : text.test(found));
