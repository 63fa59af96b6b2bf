import { processStdinSchema } from '@holdfast/specs/agent';
import type { AcceptedInput, ProcessInput } from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import { type FindDependencies, findKnownProcess, type ProcessKey } from './find-known-process.ts';
import { endedProcess, isNotFound, notStartedYet } from './process-problems.ts';

/** An agent answers after 10 s at most, with what the process had room for. */
const inputTimeoutMs = 20_000;

type Input = { bytes: Buffer; end: boolean };

const inputCall = (processId: string, { bytes, end }: Input) =>
  ({
    method: 'POST',
    path: `/v1/processes/${processId}/stdin?end=${end}`,
    upload: once(bytes),
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) },
    timeoutMs: inputTimeoutMs,
    withSteps: true,
  }) as const;

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}

/**
 * Sends input to a process. It is stored nowhere; a part for which the process has no room within 10 s is not accepted.
 * @returns the bytes of input that were accepted, of this request and in all
 * @throws Problem 404, 409 `stdin-closed`, `process-ended`, 410, 502, 503
 */
export async function sendProcessInput(
  deps: AskDependencies & FindDependencies,
  { input, ...key }: ProcessKey & { input: ProcessInput },
): Promise<AcceptedInput> {
  const bytes = input.base64 === undefined ? Buffer.from(input.text ?? '') : Buffer.from(input.base64, 'base64');
  return await sendProcessBytes(deps, { ...key, bytes, end: input.end });
}

/** The same for bytes. */
export async function sendProcessBytes(
  deps: AskDependencies & FindDependencies,
  { bytes, end, ...key }: ProcessKey & { bytes: Buffer; end: boolean },
): Promise<AcceptedInput> {
  const call = { ...inputCall(key.processId, { bytes, end }), schema: processStdinSchema };
  const { caller, sessionId } = key;
  try {
    // An agent of before does not say how many it took of the request.
    return { taken: bytes.length, ...(await askAgent(deps, { caller, sessionId, call })) };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const row = await findKnownProcess(deps, key);
    throw row.finishedAt ? endedProcess(row.id) : notStartedYet(row.id);
  }
}
