import { type RunStep, runStepSchema } from '@holdfast/specs/public';

/** The body of a request for a step. */
export const runStepBody = { body: runStepSchema, plainBody: plainRunStep };

const codeLengthMax = 10_000;

/** The same as the schema makes of a body with code alone; null for any other body. Pure. */
export function plainRunStep(value: unknown): RunStep | null {
  if (typeof value !== 'object' || value === null) return null;
  const { code, ...others } = value as { code?: unknown };
  if (typeof code !== 'string' || code.length > codeLengthMax) return null;
  for (const _ in others) return null;
  if (code.includes('\0') || !code.isWellFormed()) return null;
  return { code, actor: 'agent', stdin: false, queue: 'wait', onDisconnect: 'continue' };
}
