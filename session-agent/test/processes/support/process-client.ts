import {
  type AgentProcess,
  type AgentProcessState,
  FrameSplitter,
  type ProcessDone,
  positionOf,
} from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import type { AgentUnderTest } from '../../support/start-agent.ts';

export type ReadProcessFrame = { type: string; position: number; payload: Buffer };

export type ProcessRequest = Partial<AgentProcess> & Pick<AgentProcess, 'command'>;

/** The course of a process according to its frames. */
export type ProcessReport = {
  processId: string;
  frames: ReadProcessFrame[];
  stdout: string;
  stderr: string;
  done: ProcessDone;
};

/** Uses the agent's operations on processes. */
export function processClient(agent: AgentUnderTest) {
  const path = (processId: string, rest = '') => `/v1/processes/${processId}${rest}`;

  /** The answer to the request for a process, whatever it is. */
  const send = (request: ProcessRequest) => {
    const defaults = { processId: newId('prc'), stdin: false, stderr: 'separate', collectChanges: false };
    return agent.send('POST', '/v1/processes', { ...defaults, ...request });
  };

  /** Starts a process and returns its frames as they come. */
  async function open(request: ProcessRequest) {
    const processId = request.processId ?? newId('prc');
    const response = await send({ ...request, processId });
    if (response.status !== 200) throw new Error(`start refused: ${await response.text()}`);
    return { processId, frames: framesOf(response) };
  }

  async function run(request: ProcessRequest): Promise<ProcessReport> {
    const { processId, frames } = await open(request);
    return report(processId, await all(frames));
  }

  async function attach(processId: string, body: object = {}) {
    const response = await agent.send('POST', path(processId, '/attach'), { after: 0, ...body });
    if (response.status !== 200) throw new Error(`attach refused: ${await response.text()}`);
    return framesOf(response);
  }

  const input = (processId: string, body: string | Uint8Array<ArrayBuffer>, query = '') =>
    fetch(`${agent.url}${path(processId, '/stdin')}${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/octet-stream' },
      body,
    });

  const signal = (processId: string, name: string) => agent.call('POST', path(processId, '/signal'), { signal: name });

  const state = async (processId: string) =>
    (await agent.call('GET', path(processId))).body as AgentProcessState & { code?: string };

  return { send, open, run, attach, input, signal, state, path };
}

export async function all(frames: AsyncIterable<ReadProcessFrame>): Promise<ReadProcessFrame[]> {
  const read: ReadProcessFrame[] = [];
  for await (const frame of frames) read.push(frame);
  return read;
}

/** Reads until the output has this text, and leaves the rest unread. */
export async function readTo(frames: AsyncIterator<ReadProcessFrame>, text: string): Promise<string> {
  let output = '';
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    if (next.value.type !== 'stdout' && next.value.type !== 'stderr') continue;
    output += next.value.payload.toString('latin1');
    if (output.includes(text)) return output;
  }
  throw new Error(`the process ended without ${JSON.stringify(text)}: ${JSON.stringify(output.slice(-500))}`);
}

export function report(processId: string, frames: ReadProcessFrame[]): ProcessReport {
  const last = frames.at(-1);
  if (last?.type !== 'done') throw new Error(`the last frame is ${last?.type}`);
  const textOf = (type: string) => outputOf(frames, type).toString();
  return { processId, frames, stdout: textOf('stdout'), stderr: textOf('stderr'), done: jsonOf(last) as ProcessDone };
}

export const outputOf = (frames: ReadProcessFrame[], type: string): Buffer =>
  Buffer.concat(frames.filter((frame) => frame.type === type).map(({ payload }) => payload));

export const jsonOf = ({ payload }: ReadProcessFrame): unknown => JSON.parse(payload.toString());

async function* framesOf(response: Response): AsyncGenerator<ReadProcessFrame> {
  const splitter = new FrameSplitter();
  for await (const chunk of response.body ?? []) {
    for (const frame of splitter.split(Buffer.from(chunk))) {
      yield { type: frame.type, position: positionOf(frame), payload: frame.payload };
    }
  }
}
