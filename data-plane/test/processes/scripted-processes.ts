import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AgentProcess, encodeProcessFrame, type ProcessDone, type ProcessFrameType } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { Answering } from '../support/scripted-agent.ts';

type Frame = { type: ProcessFrameType; position: number; bytes: Buffer };

/** A process that a test moves on. */
export type ScriptedProcess = {
  request: AgentProcess;
  signals: string[];
  input: Buffer[];
  sizes: object[];
  isAcknowledged: boolean;
  /** The agent does not have its output any more. */
  isForgotten: boolean;
  /** So much more input the process has room for. */
  roomBytes: number;
  /** The agent takes requests for its output and breaks off those for its input. */
  isSilent: boolean;
  write(stream: 'stdout' | 'stderr', bytes: string | Buffer): void;
  end(done?: Partial<ProcessDone>): void;
};

const exited: ProcessDone = {
  status: 'exited',
  exitCode: 0,
  signal: null,
  cause: null,
  durationMs: 5,
  usage: { cpuSeconds: 0.25, memoryBytesMax: 4096 },
  stdoutBytes: 0,
  stderrBytes: 0,
  outputIncomplete: false,
};

/** As the agent keeps of each end. */
const endBytes = 32 * 1024;

type Kept = ScriptedProcess & { frames: Frame[]; readers: Set<() => void>; hasEnded: boolean };

/** The processes of scripted agents: they do what a test says. */
export function createScriptedProcesses() {
  const all = new Map<string, Kept>();
  const state = {
    /** Answers a start instead of starting anything. */
    refuse: null as Problem | null,
    /** Breaks off the connection of a start: `before` the process is started, or after. `never`: it has no answer. */
    cutStart: null as 'before' | 'after' | 'never' | null,
    onStart: (_process: ScriptedProcess) => {},
    starts: 0,
  };
  const unused = new Set<string>();
  const responses = new Set<ServerResponse>();

  function begin(request: AgentProcess): Kept {
    state.starts += 1;
    const frames: Frame[] = [];
    const readers = new Set<() => void>();
    const add = (type: ProcessFrameType, payload: Buffer | object, by: number) => {
      const position = (frames.at(-1)?.position ?? 0) + by;
      frames.push({ type, position, bytes: encodeProcessFrame(type, position, payload) });
      for (const reader of [...readers]) reader();
    };
    const process: Kept = {
      request,
      signals: [],
      input: [],
      sizes: [],
      isAcknowledged: false,
      isForgotten: false,
      isSilent: false,
      roomBytes: Number.POSITIVE_INFINITY,
      hasEnded: false,
      frames,
      readers,
      write: (stream, bytes) => add(stream, Buffer.from(bytes), Buffer.byteLength(bytes)),
      end(done = {}) {
        process.hasEnded = true;
        add('done', { ...exited, ...done }, 1);
      },
    };
    all.set(request.processId, process);
    add('started', { pid: 42, cwd: `/workspace/${request.cwd ?? ''}` }, 1);
    state.onStart(process);
    return process;
  }

  /** The frames behind a place, as they come; a frame that the reader has in part is cut. */
  function stream(
    process: Kept,
    response: ServerResponse,
    { after, output }: { after: number; output: 'all' | 'ends' },
  ) {
    let at = 0;
    response.writeHead(200);
    responses.add(response);
    const pump = () => {
      if (output === 'ends' && !process.hasEnded) {
        if (at === 0) response.write((process.frames[at++] as Frame).bytes);
        return;
      }
      const frames = output === 'ends' ? endsOf(process.frames) : process.frames;
      for (; at < frames.length; at++) {
        const frame = frames[at] as Frame;
        if (frame.position <= after) continue;
        const payload = frame.bytes.subarray(16);
        const have = Math.max(0, after - (frame.position - payload.length));
        const isOutput = frame.type === 'stdout' || frame.type === 'stderr';
        response.write(isOutput ? encodeProcessFrame(frame.type, frame.position, payload.subarray(have)) : frame.bytes);
      }
      if (process.hasEnded) response.end();
    };
    process.readers.add(pump);
    response.once('close', () => {
      process.readers.delete(pump);
      responses.delete(response);
    });
    pump();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://agent');
    const [, , , id = '', operation, which] = url.pathname.split('/');
    const body = await bytesOf(request);
    const json = () => JSON.parse(body.toString());
    const refuse = (problem: Problem) =>
      response
        .writeHead(problem.status, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify(problem.body()));
    if (request.method === 'POST' && id === '') {
      if (state.refuse) return void refuse(state.refuse);
      const asked = json() as AgentProcess;
      if (all.has(asked.processId) || unused.has(asked.processId)) return void refuse(new Problem('step-repeated'));
      const cut = state.cutStart;
      state.cutStart = null;
      if (cut !== 'before') begin(asked);
      if (cut === 'never') return;
      if (cut) return void request.socket.destroy();
      return stream(all.get(asked.processId) as Kept, response, { after: 0, output: asked.output });
    }
    if (id === 'acks') {
      for (const one of json().processIds) Object.assign(all.get(one) ?? {}, { isAcknowledged: true });
      return void response.writeHead(204).end();
    }
    const process = all.get(id);
    if (!process) {
      if (operation === 'attach' && json().burn) unused.add(id);
      return void refuse(new Problem('not-found'));
    }
    const reply = (answer: object) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    const counts = { stdoutBytes: outputOf(process, 'stdout').length, stderrBytes: outputOf(process, 'stderr').length };
    if (operation === 'attach') {
      if (process.isForgotten) return void refuse(new Problem('step-repeated'));
      return stream(process, response, { output: 'all', ...json() });
    }
    if (operation === 'output') {
      if (process.isSilent) return;
      if (process.isForgotten) return void refuse(new Problem('not-found'));
      const offset = Number(url.searchParams.get('offset'));
      const bytes = outputOf(process, which as 'stdout').subarray(offset);
      return void response.writeHead(200, { 'holdfast-offset': String(offset) }).end(bytes);
    }
    if (operation === 'signal') {
      if (process.hasEnded) return void refuse(new Problem('process-ended'));
      process.signals.push(json().signal);
      return void response.writeHead(204).end();
    }
    if (operation === 'terminal') {
      process.sizes.push(json());
      return void response.writeHead(204).end();
    }
    if (operation === 'stdin') {
      if (!process.request.stdin && !process.request.terminal) return void refuse(new Problem('stdin-closed'));
      if (process.isSilent) return void request.socket.destroy();
      const taken = body.subarray(0, process.roomBytes);
      process.roomBytes -= taken.length;
      process.input.push(taken);
      const bytes = Buffer.concat(process.input).length;
      return reply({ bytes, taken: taken.length, ended: url.searchParams.get('end') === 'true' });
    }
    const position = process.frames.at(-1)?.position ?? 0;
    const about = { processId: id, state: 'running', pid: 42, position, kept: 0, stdinBytes: 0, stdinEnded: false };
    return reply({ ...about, ...counts, done: null });
  }

  const answering: Answering = (request, response) => {
    if (!request.url?.startsWith('/v1/processes')) return false;
    void answer(request, response);
    return true;
  };

  return {
    answering,
    state,
    all,
    /** Output that no reader has taken yet. */
    waitingBytes: () => [...responses].reduce((sum, { writableLength }) => sum + writableLength, 0),
    get(id: string): ScriptedProcess {
      const process = all.get(id);
      if (!process) throw new Error(`the agent has no process ${id}`);
      return process;
    },
  };
}

/** The first and the last of the output, and a notice between them. */
function endsOf(frames: readonly Frame[]): Frame[] {
  const isOutput = ({ type }: Frame) => type === 'stdout' || type === 'stderr';
  const total = frames.filter(isOutput).reduce((sum, { bytes }) => sum + bytes.length - 16, 0);
  if (total <= 2 * endBytes) return [...frames];
  const ends: Frame[] = [];
  const cutFrom = 1 + endBytes;
  const cutTo = 1 + total - endBytes;
  for (const { type, position, bytes } of frames) {
    if (!isOutput({ type, position, bytes })) {
      ends.push({ type, position, bytes });
      continue;
    }
    const payload = bytes.subarray(16);
    const start = position - payload.length;
    const part = (from: number, to: number) => {
      const piece = payload.subarray(Math.max(0, from - start), Math.max(0, to - start));
      const behind = Math.max(start, from) + piece.length;
      if (piece.length > 0) ends.push({ type, position: behind, bytes: encodeProcessFrame(type, behind, piece) });
    };
    part(0, cutFrom);
    if (position >= cutTo && start < cutTo) {
      const missing = { bytes: cutTo - cutFrom };
      ends.push({ type: 'truncated', position: cutTo, bytes: encodeProcessFrame('truncated', cutTo, missing) });
    }
    part(cutTo, position);
  }
  return ends;
}

const outputOf = ({ frames }: Kept, stream: 'stdout' | 'stderr') =>
  Buffer.concat(frames.filter(({ type }) => type === stream).map(({ bytes }) => bytes.subarray(16)));

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}
