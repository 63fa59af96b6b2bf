import type { OperationRow } from '../schema/operations.ts';

/** The rule of the policy that denied a call, as its code gets it. Null: the call was not denied. */
export function deniedBy({ status, answer }: Pick<OperationRow, 'status' | 'answer'>): string | null {
  return status === 'denied' && answer !== null ? (JSON.parse(answer).error.rule as string) : null;
}
