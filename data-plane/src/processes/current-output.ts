import { agentProcessStateSchema } from '@holdfast/specs/agent';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { ProcessOutput } from './process-view.ts';

/** As much of a stream as the record of an ended process has at most: so many bytes of its beginning and of its end. */
const endBytes = 16 * 1024;

/** For all of it: a client does not wait longer for a sandbox that does not answer. */
const outputMsMax = 5000;

type Asked = { route: Route; processId: string };

/**
 * The beginning and the end of what a running process has written so far.
 * @throws AgentError
 */
export async function currentOutput(
  { agents }: { agents: Pick<AgentClient, 'call' | 'pull'> },
  { route, processId }: Asked,
): Promise<ProcessOutput> {
  const path = `/v1/processes/${processId}`;
  const state = await agents.call(route, { method: 'GET', path, schema: agentProcessStateSchema });
  const late = AbortSignal.timeout(outputMsMax);
  let truncated = false;
  const read = async (stream: 'stdout' | 'stderr', from: number, bytesMax: number): Promise<Buffer> => {
    if (bytesMax <= 0) return Buffer.alloc(0);
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, late]);
    const pulled = { method: 'GET', path: `${path}/output/${stream}?offset=${from}`, signal } as const;
    const parts: Buffer[] = [];
    let left = bytesMax;
    for await (const part of agents.pull(route, pulled) as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, left));
      left -= part.length;
      if (left <= 0) break;
    }
    enough.abort();
    return Buffer.concat(parts);
  };
  const ends = async (stream: 'stdout' | 'stderr', bytes: number): Promise<Buffer> => {
    if (bytes <= 2 * endBytes) return await read(stream, 0, bytes);
    truncated = true;
    return Buffer.concat([await read(stream, 0, endBytes), await read(stream, bytes - endBytes, endBytes)]);
  };
  const stdout = await ends('stdout', state.stdoutBytes);
  const stderr = await ends('stderr', state.stderrBytes);
  return { stdout, stderr, truncated };
}
