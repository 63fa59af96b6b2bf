import { mimeType } from '../artifacts/mime-type.ts';
import type { Caller } from '../sessions/caller.ts';
import { refuseGuest } from './change-outside.ts';
import { type AnswerSink, type RelayDependencies, relayFromAgent } from './relay-from-agent.ts';

type ReadFileInput = AnswerSink & {
  caller: Caller;
  sessionId: string;
  path: string;
  /** The conditional headers and the range of the client's request, which the agent answers. */
  headers: Record<string, string>;
};

/**
 * Reads a file of the workspace or outside it.
 * @throws Problem 403, 404, 409, 410, 412, 416, 502, 503
 */
export async function readFile(deps: RelayDependencies, { path, onHead, ...input }: ReadFileInput): Promise<void> {
  refuseGuest(input.caller, path);
  await relayFromAgent(deps, {
    ...input,
    path: `/v1/files?path=${encodeURIComponent(path)}`,
    onHead: ({ status, headers }) => onHead({ status, headers: { ...headers, 'content-type': mimeType(path) } }),
  });
}
