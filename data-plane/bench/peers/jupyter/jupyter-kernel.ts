import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'undici';
import type { Shown } from '../peer.ts';
import { decodeMessage, encodeRequest, type KernelMessage } from './kernel-message.ts';
import type { JupyterServer } from './start-jupyter.ts';

export type JupyterKernel = Awaited<ReturnType<typeof startJupyterKernel>>;

type Running = { answer(message: KernelMessage): void; fail(error: Error): void };

/** A kernel with one WebSocket that stays open, as a notebook has it. A step is over with its reply and the kernel being idle again. */
export async function startJupyterKernel({ url, token }: Pick<JupyterServer, 'url' | 'token'>) {
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
  const kernels = new URL('api/kernels', url).href;
  const started = await fetch(kernels, { method: 'POST', headers, body: '{"name": "python3"}' });
  if (started.status !== 201) throw new Error(`Jupyter Server: ${started.status} ${await started.text()}`);
  const { id } = (await started.json()) as { id: string };
  const session = randomUUID();
  const socket = new WebSocket(`${kernels.replace('http', 'ws')}/${id}/channels?session_id=${session}`, {
    protocols: ['v1.kernel.websocket.jupyter.org'],
    headers,
  });
  socket.binaryType = 'arraybuffer';
  await once(socket, 'open');
  if (!socket.protocol) throw new Error('Jupyter Server does not speak the binary protocol');

  const running = new Map<string, Running>();
  socket.addEventListener('message', ({ data }) => {
    const message = decodeMessage(Buffer.from(data as ArrayBuffer));
    if (message.parentId) running.get(message.parentId)?.answer(message);
  });
  socket.addEventListener('close', () => {
    for (const step of running.values()) step.fail(new Error('Jupyter Server has closed the connection'));
  });

  /** `onOutput` gets the output as it arrives. */
  async function stream(code: string, onOutput: (text: string) => void): Promise<Omit<Shown, 'output'>> {
    const id = randomUUID();
    const step = createStep(onOutput);
    running.set(id, step);
    const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
    socket.send(encodeRequest({ channel: 'shell', id, type: 'execute_request', session, content }));
    return await step.finished.finally(() => running.delete(id));
  }

  async function run(code: string): Promise<Shown> {
    const output: string[] = [];
    const { result, error } = await stream(code, (text) => output.push(text));
    return { output: output.join(''), result, error };
  }

  // A new kernel misses requests until it has answered one.
  await run('');
  return {
    run,
    stream,
    pid: Number((await run('import os; os.getpid()')).result),
    interrupt: async () => {
      const { status } = await fetch(`${kernels}/${id}/interrupt`, { method: 'POST', headers });
      if (status !== 204) throw new Error(`Jupyter Server did not interrupt: ${status}`);
    },
    async close(): Promise<void> {
      socket.close();
      await fetch(`${kernels}/${id}`, { method: 'DELETE', headers });
    },
  };
}

function createStep(onOutput: (text: string) => void) {
  const { promise: finished, resolve, reject } = Promise.withResolvers<Omit<Shown, 'output'>>();
  const shown: Omit<Shown, 'output'> = { result: null, error: null };
  const awaited = new Set(['reply', 'idle']);
  const isOver = (part: string) => {
    awaited.delete(part);
    if (awaited.size === 0) resolve(shown);
  };
  return {
    finished,
    fail: reject,
    answer({ type, content: bytes }: KernelMessage): void {
      const content = JSON.parse(bytes.toString());
      if (type === 'stream') onOutput(content.text);
      else if (type === 'execute_result') shown.result = content.data['text/plain'];
      else if (type === 'error') shown.error = content.ename;
      else if (type === 'execute_reply') isOver('reply');
      else if (type === 'status' && content.execution_state === 'idle') isOver('idle');
    },
  };
}
