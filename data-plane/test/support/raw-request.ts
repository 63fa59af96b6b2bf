import { request } from 'node:http';

type Raw = { method: string; target: string; body?: Buffer | string; headers?: Record<string, string> };

/** A request with its target as it is: `fetch` would resolve dots and escape what it takes for wrong. */
export function rawRequest(url: string, { method, target, body, headers = {} }: Raw) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const outgoing = request({ hostname, port, method, path: target, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
