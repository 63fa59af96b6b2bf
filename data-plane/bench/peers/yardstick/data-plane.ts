/**
 * The leanest data-plane: HTTP in, one undici client per agent out, and one group-committed durable row before the answer.
 * The environment has the address of a Postgres as JSON in YARDSTICK_DATABASE; the arguments are the ports of the agents. Prints its port.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import postgres from 'postgres';
import { Client } from 'undici';

const ports = process.argv.slice(2);
const sql = postgres({ ...JSON.parse(process.env.YARDSTICK_DATABASE ?? '{}'), max: 2, onnotice: () => {} });
await sql`create table if not exists yardstick_steps (
  id text primary key, session int, code text, result text, at timestamptz default now())`;
const agents = ports.map((port) => new Client(`http://127.0.0.1:${port}`, { pipelining: 1 }));

type Row = { id: string; session: number; code: string; result: string; done(): void };
let queue: Row[] = [];
let isWriting = false;

/** Rows that arrive during a write are written together by the next one. */
async function writeQueue(): Promise<void> {
  if (isWriting) return;
  isWriting = true;
  while (queue.length > 0) {
    const batch = queue;
    queue = [];
    await sql`insert into yardstick_steps (id, session, code, result) select * from unnest(
      ${batch.map((row) => row.id)}::text[], ${batch.map((row) => row.session)}::int[],
      ${batch.map((row) => row.code)}::text[], ${batch.map((row) => row.result)}::text[])`;
    for (const row of batch) row.done();
  }
  isWriting = false;
}

const server = createServer((request, response) => {
  let asked = '';
  request.on('data', (chunk) => {
    asked += chunk;
  });
  request.on('end', async () => {
    const session = Number(request.url?.slice(1));
    const { code } = JSON.parse(asked);
    const answer = await agents[session]?.request({ method: 'POST', path: '/', body: asked });
    const result = (await answer?.body.text()) ?? 'null';
    const id = randomUUID();
    await new Promise<void>((done) => {
      queue.push({ id, session, code, result, done });
      void writeQueue();
    });
    const text = JSON.stringify({ id, status: 'succeeded', code, ...JSON.parse(result) });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

process.stdin.on('end', () => process.exit()).resume();
