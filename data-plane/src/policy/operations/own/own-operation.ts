import type { PolicyRules } from '@holdfast/specs/public';
import type { z } from 'zod';
import type { CallingStep } from '../../../steps/drive-step.ts';

/** An operation that the data-plane answers itself. */
export type OwnOperation = {
  /** The schema of its arguments, as an array. */
  arguments: z.ZodType<readonly unknown[]>;
  /** Whether it changes something, and so records its entry of the audit log itself, in the transaction of the change. */
  isAudited: boolean;
  /** @throws OperationFailed, OperationDenied or Problem, for the code */
  run(caller: OperationCaller, args: readonly unknown[]): Promise<unknown>;
};

/** `policy` is that of the session when the code called; null if it is unrestricted. */
export type OperationCaller = { step: CallingStep; operationId: string; policy: PolicyRules | null };

/** The operation does not succeed, for a reason that the code should know. */
export class OperationFailed extends Error {
  override name = 'OperationFailed';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A rule of the policy forbids it, as its own work has found. */
export class OperationDenied extends Error {
  override name = 'OperationDenied';
  readonly rule: string;

  constructor(rule: string) {
    super(`the policy forbids it: ${rule}`);
    this.rule = rule;
  }
}

type Run<Args extends readonly unknown[]> = (caller: OperationCaller, ...args: Args) => Promise<unknown>;

/** An operation whose function takes the arguments as its schema gives them. */
export function ownOperation<Args extends readonly unknown[]>(
  schema: z.ZodType<Args>,
  run: Run<Args>,
  { isAudited = false } = {},
): OwnOperation {
  return {
    arguments: schema,
    isAudited,
    run: (caller, args) => run(caller, ...(args as Args)),
  };
}
