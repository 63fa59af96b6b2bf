import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from 'undici';

export type KubernetesApi = Awaited<ReturnType<typeof connectKubernetesApi>>;

/** Connects to the API server that KUBECONFIG names. A program per request would cost more than the work that is timed. */
export async function connectKubernetesApi() {
  const proxy = spawn('kubectl', ['proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(proxy.stdout), 'line');
  const address = /127\.0\.0\.1:\d+/.exec(String(line))?.[0];
  if (!address) throw new Error(`kubectl proxy said: ${line}`);
  const requests = new Client(`http://${address}`);
  return {
    async call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
      const headers = { 'content-type': 'application/json' };
      const answer = await requests.request({
        method,
        path,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
      return JSON.parse(text);
    },
    /** Yields objects as they change, until `signal`. */
    async *watch<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
      const watching = await fetch(`http://${address}${path}`, { signal });
      if (!watching.ok || !watching.body) throw new Error(`${path}: ${watching.status}`);
      let rest = '';
      for await (const chunk of watching.body.pipeThrough(
        new TextDecoderStream(),
      ) as unknown as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) yield JSON.parse(line).object;
      }
    },
    async close() {
      await requests.close();
      proxy.kill();
      await once(proxy, 'exit');
    },
  };
}
