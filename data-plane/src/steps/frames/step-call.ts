import type { OperationCall } from '@holdfast/specs/agent';
import { isOwnOperation, operationIdFor } from '@holdfast/specs/public';
import { parseJson } from '../../agent/parse-json.ts';

type Json = unknown;

/**
 * A call of an operation by a step's code. `own`: the data-plane answers it. `refused`: it gets this error. Only a `host` call is shown to
 * clients. Which of them it is follows from the frame alone, and whether the policy denies a `host` call from the registry, so all
 * replicas show the same events.
 */
export type StepCall = AskingCall | (Call & { kind: 'refused'; reason: string });

export type AskingCall = Call & { kind: 'host' | 'own'; arguments: readonly Json[] };

type Call = { id: string; number: number; name: string };

/** About 15 ms. */
const weightMax = 200_000;
/** The host's calls of one step. Each is an event, a row and an entry of the step. */
const hostCallsMax = 1000;

/** Pure. */
export function takeCall(
  stepId: string,
  { call: number, name, arguments: text }: OperationCall,
  { hostCallsBefore }: { hostCallsBefore: number },
): StepCall {
  const call = { id: operationIdFor(stepId, number), number, name };
  const args = argumentsOf(text);
  if (args === null)
    return { ...call, kind: 'refused', reason: 'the arguments have too many parts or are nested too deep' };
  if (isOwnOperation(name)) return { ...call, kind: 'own', arguments: args };
  if (hostCallsBefore >= hostCallsMax) {
    return { ...call, kind: 'refused', reason: `a step asks its host at most ${hostCallsMax} times` };
  }
  return { ...call, kind: 'host', arguments: args };
}

function argumentsOf(text: string): readonly Json[] | null {
  try {
    const args = parseJson(Buffer.from(text), { weightMax });
    return Array.isArray(args) ? args : null;
  } catch {
    return null;
  }
}
