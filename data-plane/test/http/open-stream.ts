import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** A request whose answer is read by hand. `text` grows as bytes arrive; `cut` drops the connection. */
export async function openStream(
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const sent = request(url, { method: init.method ?? 'GET', headers: init.headers, agent: false });
  sent.on('error', () => {});
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.end(init.body);
  const [response] = await answered;
  const stream = {
    status: response.statusCode,
    headers: response.headers,
    text: '',
    ended: false,
    pause: () => response.pause(),
    resume: () => response.resume(),
    cut: () => sent.destroy(),
    onCut: (listener: () => void) => response.once('aborted', listener),
    lines: () =>
      stream.text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
  };
  response.setEncoding('utf8').on('data', (chunk: string) => {
    stream.text += chunk;
  });
  response.on('end', () => {
    stream.ended = true;
  });
  response.on('error', () => {});
  return stream;
}
