import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { OperationAnswer } from '@holdfast/specs/agent';
import { operationLineSchema } from '@holdfast/specs/kernel';
import { faultWords, inexactNumber, inexactNumberIn, operationArgumentsBytesMax } from '@holdfast/specs/public';

/** A call of a program in the sandbox. */
export type ProgramCall = {
  name: string;
  /** A JSON array. */
  arguments: string;
  /** Writes the answer and closes the connection. Has no effect the second time. */
  answer(answer: OperationAnswer): void;
  /** Calls back once the program is gone or has its answer. */
  onClose(closed: () => void): void;
};

/** Takes the calls of a kernel's programs while it lives. */
export type OperationsSocket = {
  path: string;
  /** `marker` is the kernel's `HOLDFAST_KERNEL`. Returns a function that ends it. */
  register(marker: string, onCall: (call: ProgramCall) => void): () => void;
};

/** Calls of all kernels that are under way. */
const connectionsMax = 512;
/** A program has this long to send its line. */
const lineMs = 10_000;
const lineBytesMax = operationArgumentsBytesMax + 4096;
/** A longer path does not fit into a socket's address (unix(7)), which is shorter still on macOS. */
const pathBytesMax = 103;
const lineFeed = 0x0a;

/**
 * Opens the socket over which the programs of a sandbox call operations (`../../languages/README.md`, Operations). Not the kernels' channels,
 * because a shell's pipelines, forks and child programs have none.
 */
export async function openOperationsSocket(tmp: string): Promise<OperationsSocket> {
  const name = `holdfast-${randomBytes(8).toString('hex')}`;
  const path = [join(tmp, name), join('/tmp', name)].find(
    (found) => Buffer.byteLength(found) <= pathBytesMax,
  ) as string;
  const kernels = new Map<string, (call: ProgramCall) => void>();
  const server = createServer((socket) => receive(socket, kernels));
  server.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  server.on('error', () => {});
  server.unref();
  chmodSync(path, 0o600);
  process.once('exit', () => rmSync(path, { force: true }));
  return {
    path,
    register(marker, onCall) {
      kernels.set(marker, onCall);
      return () => void kernels.delete(marker);
    },
  };
}

function receive(socket: Socket, kernels: ReadonlyMap<string, (call: ProgramCall) => void>): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const answer = (given: OperationAnswer) => {
    if (!socket.writableEnded) socket.end(`${JSON.stringify(given)}\n`);
  };
  const refuse = (message: string) => answer(failed(message));
  socket.setTimeout(lineMs, () => socket.destroy());
  socket.on('error', () => {});
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lineBytesMax) return ended(() => refuse(`the arguments exceed ${operationArgumentsBytesMax} bytes`));
    chunks.push(chunk);
    if (chunk.at(-1) === lineFeed) ended(() => pass(Buffer.concat(chunks)));
  };
  const ended = (then: () => void) => {
    // The rest is dropped as it comes.
    socket.off('data', onData).resume();
    socket.setTimeout(0);
    then();
  };
  const pass = (line: Buffer) => {
    const call = parseLine(line);
    if (!('kernel' in call)) return answer(call);
    const onCall = kernels.get(call.kernel);
    if (!onCall) return refuse(notInStep);
    const onClose: ProgramCall['onClose'] = (closed) => void socket.once('close', closed);
    // Output that was written before the call is read first.
    setImmediate(onCall, { name: call.name, arguments: call.arguments, answer, onClose });
  };
  socket.on('data', onData);
}

type Line = { kernel: string; name: string; arguments: string };

/** The call, or the answer to a line that is none. */
function parseLine(line: Buffer): Line | OperationAnswer {
  const written = line.toString();
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    return failed('the call is not JSON');
  }
  const inexact = inexactNumberIn(written);
  if (inexact !== null) return failed(inexactNumber(inexact), 'InvalidArguments');
  const parsed = operationLineSchema.safeParse(value, { error: faultWords });
  if (!parsed.success)
    return failed(parsed.error.issues.map(({ path, message }) => `${path.join('/')}: ${message}`).join('; '));
  const text = JSON.stringify(parsed.data.arguments);
  if (Buffer.byteLength(text) > operationArgumentsBytesMax) {
    return failed(`the arguments exceed ${operationArgumentsBytesMax} bytes`);
  }
  return { ...parsed.data, arguments: text };
}

/** The answer to a call that is refused before it leaves the sandbox. */
export const failed = (message: string, name = 'OperationError'): OperationAnswer => ({ error: { name, message } });

export const notInStep = 'only the code of a running step can call operations';
