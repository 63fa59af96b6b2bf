import { Agent, type IncomingMessage, request } from 'node:http';
import { type Done, FrameSplitter, type FrameType } from '@holdfast/specs/agent';
import { type CommMessage, newId, type ProgramLimits } from '@holdfast/specs/public';

/** A frame with its decoded payload: text for output, parsed JSON for other types. */
export type ReadFrame = { type: FrameType; seq: number; text: string; json: Record<string, unknown> };

export type StepRequest = {
  code: string;
  comm?: CommMessage;
  stepId?: string;
  contextId?: string;
  language?: string;
  timeoutMs?: number;
  env?: Record<string, string>;
  stdin?: boolean;
  replay?: boolean;
  queue?: 'wait' | 'reject';
  ifContextEpoch?: number;
  acks?: string[];
};

export type JobRequest = {
  /** The program; without it, a file of the workspace. */
  code?: string;
  language: 'python' | 'node' | 'bun' | 'bash';
  filename: string;
  jobId?: string;
  args?: string[];
  env?: Record<string, string>;
  stdin?: string;
  timeoutMs?: number;
  limits?: ProgramLimits;
  acks?: string[];
};

/** The course of a step according to its frames. */
export type StepReport = {
  stepId: string;
  frames: ReadFrame[];
  stdout: string;
  stderr: string;
  /** `text/plain` of the main result. */
  value: unknown;
  done: Done;
};

export type AgentClient = ReturnType<typeof agentClient>;

/** Uses the agent's API over HTTP. Each method accepts another token, or null for none. */
export function agentClient(url: string, ownToken: () => string) {
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ownToken()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });

  /** Sends a step as the data-plane does: with few headers, and in one piece. */
  const sendPlain = (body: object, more: Record<string, string>): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${ownToken()}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        ...more,
      };
      request(`${url}/v1/steps`, { method: 'POST', agent: plainAgent, headers }, resolve).on('error', reject).end(text);
    });

  /** Calls an operation that answers JSON; returns status and parsed body. */
  async function call(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const response = await send(method, path, body, headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
  }

  /** Sends a step and returns its frames as they come. */
  async function open(request: StepRequest, headers: Record<string, string> = {}) {
    const body = { stepId: newId('stp'), contextId: 'python', timeoutMs: 20_000, queue: 'wait', ...request };
    const incoming = await sendPlain(body, headers);
    if (incoming.statusCode !== 200) throw new Error(`step refused: ${await textOf(incoming)}`);
    return { stepId: body.stepId, frames: framesIn(incoming) };
  }

  async function run(request: StepRequest, headers: Record<string, string> = {}): Promise<StepReport> {
    const { stepId, frames } = await open(request, headers);
    return report(stepId, await all(frames));
  }

  /** Sends a job and returns its frames as they come. */
  async function openJob(request: JobRequest) {
    const body = { jobId: newId('job'), args: [], stdin: '', timeoutMs: 20_000, ...request };
    const response = await send('POST', '/v1/jobs', body);
    if (response.status !== 200) throw new Error(`job refused: ${await response.text()}`);
    return { jobId: body.jobId, frames: readFrames(response) };
  }

  async function runJob(request: JobRequest): Promise<StepReport> {
    const { jobId, frames } = await openJob(request);
    return report(jobId, await all(frames));
  }

  async function attach(stepId: string, after = 0) {
    const response = await send('POST', `/v1/steps/${stepId}/attach`, { after });
    if (response.status !== 200) throw new Error(`attach refused: ${await response.text()}`);
    return readFrames(response);
  }

  return { send, call, open, run, openJob, runJob, attach };
}

export function report(stepId: string, frames: ReadFrame[]): StepReport {
  const textOf = (type: FrameType) =>
    frames
      .filter((frame) => frame.type === type)
      .map(({ text }) => text)
      .join('');
  const main = frames.find((frame) => frame.type === 'result' && frame.json.isMain);
  const last = frames.at(-1);
  if (last?.type !== 'done') throw new Error(`the last frame is ${last?.type}`);
  return {
    stepId,
    frames,
    stdout: textOf('stdout'),
    stderr: textOf('stderr'),
    value: (main?.json.data as Record<string, unknown> | undefined)?.['text/plain'],
    done: last.json as Done,
  };
}

/** All frames of a step, once it has ended. */
export async function all(frames: AsyncIterable<ReadFrame>): Promise<ReadFrame[]> {
  const read: ReadFrame[] = [];
  for await (const frame of frames) read.push(frame);
  return read;
}

/** Reads up to the first frame of this type and leaves the rest unread. */
export async function readTo(frames: AsyncIterator<ReadFrame>, type: FrameType): Promise<ReadFrame> {
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    if (next.value.type === type) return next.value;
  }
  throw new Error(`the step ended without ${type}`);
}

/** It sends `Connection: keep-alive`. An idle connection would keep a test's process alive. */
const plainAgent = new Agent({ keepAlive: true, maxFreeSockets: 1 });

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return text;
}

const readFrames = (response: Response) => framesIn(response.body ?? []);

async function* framesIn(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<ReadFrame> {
  const splitter = new FrameSplitter();
  for await (const chunk of chunks) {
    for (const { type, seq, payload } of splitter.split(Buffer.from(chunk))) {
      const text = payload.toString();
      yield { type, seq, text, json: type === 'stdout' || type === 'stderr' ? {} : JSON.parse(text) };
    }
  }
}
