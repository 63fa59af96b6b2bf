import { Problem } from '@holdfast/specs/public';
import type { Verbs } from '../http/v1/verbs.ts';
import { translateDatabaseError } from '../registry/database-error.ts';
import { SandboxError } from '../runtimes/runtime.ts';

/** Makes every verb report a database or a runtime that cannot serve now as a problem. A verb that answers at once has asked neither. */
export function translateErrors(verbs: Verbs): Verbs {
  const entries = Object.entries(verbs).map(([name, verb]) => [
    name,
    (input: never) => {
      const answer: unknown = verb(input);
      return answer instanceof Promise ? answer.catch(rethrowTranslated) : answer;
    },
  ]);
  return Object.fromEntries(entries);
}

export function rethrowTranslated(error: unknown): never {
  throw error instanceof SandboxError ? unreachable(error) : translateDatabaseError(error);
}

const unreachable = (cause: SandboxError) =>
  new Problem('sandbox-unreachable', { retryAfterSeconds: cause.retryAfterSeconds ?? 5, cause });
