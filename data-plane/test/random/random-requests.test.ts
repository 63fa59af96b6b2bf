import { readdirSync } from 'node:fs';
import openapi from '@holdfast/specs/openapi.json' with { type: 'json' };
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { type Schema, valuesOf } from './schema-values.ts';

type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema };
type Media = Record<string, { schema?: Schema; examples?: Record<string, unknown> }>;
type Operation = {
  operationId: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
};
type Asked = { path: string; headers: Record<string, string>; body: string | null };

/** How many requests each operation gets. A repeat of a failed run needs its seed, which the failure names. */
const runs = Number(process.env.HOLDFAST_RANDOM_RUNS ?? 25);
const seed = Number(process.env.HOLDFAST_RANDOM_SEED ?? 20_261_126);
const tags = new Set(['Processes', 'Ports', 'Files', 'Webhooks']);

const operations = Object.entries(openapi.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);
const tested = operations.filter(({ tags: own }) => own.some((tag) => tags.has(tag)));

let installation: Installation;
let holdfast: Holdfast;
let sessionId: string;
/** Ids that a request may name, by the name of their parameter. */
const known: Record<string, string[]> = {};

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  ({ id: sessionId } = await holdfast.createSession({ files: { a: 'a', 'd/x': 'x' } }));
  known.sessionId = [sessionId, sessionId, sessionId, sessionId, 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v', 'nope'];
  const start = (body: object) => holdfast.request('POST', `/v1/sessions/${sessionId}/processes`, body);
  const started = await Promise.all([
    start({ command: ['cat'], stdin: true }),
    start({ command: ['cat'], terminal: { columns: 80, rows: 24 } }),
    start({ command: ['true'], waitSeconds: 30 }),
  ]);
  known.processId = [...started.map(({ body }) => body.id), 'prc_01kaf42b3c4d5e6f7g8h9j0k1m', '%00'];
  const port = await holdfast.request('POST', `/v1/sessions/${sessionId}/ports`, { port: 8000 });
  known.portId = [port.body.id, 'prt_01kaf42b3c4d5e6f7g8h9j0k1m'];
}, 120_000);
afterAll(() => installation[Symbol.asyncDispose]());

/** Nothing here may do harm outside the session, whatever a fault in the product lets it do. */
const paths = fc.constantFrom(
  'a',
  'd',
  'd/x',
  'n/e/w',
  '../up',
  '/nowhere/x',
  'a/b',
  '',
  '.',
  'a\0b',
  'é'.repeat(200),
  'x/'.repeat(300),
);
const commands = fc.constantFrom<unknown>(
  ...[
    ['true'],
    ['printf', 'a\\0\\377'],
    ['no-such-program'],
    [''],
    [],
    ['cat'],
    ['echo', '\0'],
    'echo $0; exit 3',
    'yes | head -c 200000',
    '',
  ],
  ...[['echo', 'x'.repeat(200_000)], 'kill -SEGV $$', 7, { a: 1 }],
);
const urls = fc.constantFrom(
  'http://127.0.0.1:9/x',
  'http://u:p@127.0.0.1/',
  'ftp://x',
  'x',
  '',
  'http://[::1]:9/#f',
  'http://localhost:9/',
);
const fields = {
  ...{ path: paths, from: paths, to: paths, cwd: paths, command: commands, url: urls },
  waitSeconds: fc.constantFrom<unknown>(0, 0.05, -1, 61, '1', null),
  // No random process may outlive the test for long.
  timeoutSeconds: fc.constantFrom<unknown>(1, 0.2, 0, -1, 1e9, 'x'),
};
const values = { named: openapi.components.schemas as unknown as Record<string, Schema>, fields };

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
/** As a header: longer ones are refused with 431 before any operation. */
const printable = (text: string) =>
  text
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
    .slice(0, 1000);

function requestsFor({ path, parameters = [], requestBody }: Operation & { path: string }): fc.Arbitrary<Asked> {
  const given = parameters.map((parameter) => {
    const { name, schema } = parameter;
    const own = (fields as Record<string, fc.Arbitrary<unknown>>)[name] ?? valuesOf(values, schema);
    const stock = known[name];
    const value = stock ? fc.nat().map((at) => stock[at % stock.length]) : own.map(asText);
    const isThere = parameter.in === 'path' ? fc.constant(true) : fc.nat(2).map((at) => at > 0);
    return fc.tuple(isThere, value).map(([is, text]) => ({ ...parameter, text: is ? (text ?? '') : null }));
  });
  const json = requestBody?.content['application/json']?.schema;
  const body = json ? valuesOf(values, json).map((value) => JSON.stringify(value)) : fc.string({ maxLength: 50 });
  return fc.tuple(fc.tuple(...given), body).map(([all, text]) => {
    const there = all.filter((one) => one.text !== null);
    const named = (where: Parameter['in']) => there.filter((one) => one.in === where);
    const query = named('query').map(({ name, text: value }) => [name, value ?? ''] as [string, string]);
    const filled = named('path').reduce(
      (whole, { name, text: value }) =>
        whole.replace(`{${name}}`, encodeURIComponent((value ?? '').toWellFormed()) || '%20'),
      path,
    );
    const headers = named('header').map(({ name, text: value }) => [name, printable(value ?? '') || 'x']);
    const type = requestBody ? [['content-type', Object.keys(requestBody.content)[0] ?? '']] : [];
    return {
      path: query.length > 0 ? `${filled}?${new URLSearchParams(query)}` : filled,
      headers: Object.fromEntries([...headers, ...type]),
      body: requestBody ? text : null,
    };
  });
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components: openapi.components });
const validators = new Map<string, ValidateFunction>();
function faultsOf(schema: Schema, value: unknown): unknown {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate(value) ? null : validate.errors;
}

type Answer = { code?: string; detail?: string; errors?: { pointer: string }[] };

/** A stream may go on for ever: the head and the beginning are enough. */
async function ask(method: string, { path, headers, body }: Asked) {
  const leave = new AbortController();
  const response = await fetch(holdfast.url + path, {
    method,
    headers,
    signal: leave.signal,
    ...(body !== null && { body }),
  });
  const type = response.headers.get('content-type')?.split(';')[0] ?? null;
  const isJson = type === 'application/json' || type === 'application/problem+json';
  const answer: Answer | null = isJson ? ((await response.json()) as Answer) : null;
  leave.abort();
  return { status: response.status, type, answer };
}

const pointer = /^$|^\/|^(query|path|header)(\/[^/A-Z]*[^/]*)*$/;

function expectDocumented({ responses }: Operation, { status, type, answer }: Awaited<ReturnType<typeof ask>>): void {
  const documented = responses[status];
  expect(documented, `status ${status}: ${JSON.stringify(answer)}`).toBeDefined();
  expect(status, JSON.stringify(answer)).not.toBe(500);
  if (type === 'application/problem+json') {
    const codes = Object.keys(documented?.content?.[type]?.examples ?? {});
    expect(codes).toContain(answer?.code);
    for (const fault of answer?.errors ?? []) expect(fault.pointer).toMatch(pointer);
  } else if (answer !== null) {
    const schema = documented?.content?.['application/json']?.schema;
    expect(schema && faultsOf(schema, answer)).toBeNull();
  } else if (type !== null && documented?.content) expect(Object.keys(documented.content)).toContain(type);
}

test.each(tested.map((operation) => [operation.operationId, operation] as const))(
  'each answer to a random request for %s is one that the document has',
  async (_, operation) => {
    await fc.assert(
      fc.asyncProperty(requestsFor(operation), async (asked) =>
        expectDocumented(operation, await ask(operation.method, asked)),
      ),
      { numRuns: runs, seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
    );
  },
  120_000,
);

test('a random list of webhooks is refused or taken as the document says', async () => {
  const creating = operations.find(({ operationId }) => operationId === 'createSession') as (typeof operations)[0];
  const schema = (values.named.CreateSession?.properties?.webhooks ?? {}) as Schema;
  // No such session can be: what is right about the webhooks is refused for its profile.
  const bodies = valuesOf(values, schema).map((webhooks) => JSON.stringify({ webhooks, profile: 'none' }));
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const answer = await ask('POST', { path: '/v1/sessions', headers: { 'content-type': 'application/json' }, body });
      expectDocumented(creating, answer);
      expect([400, 422]).toContain(answer.status);
    }),
    { numRuns: 4 * runs, seed },
  );
}, 120_000);

test('the session works after all of them, and nothing that they began is left', async () => {
  const { results } = await holdfast.runStep(sessionId, { code: '6 * 7' });
  expect(results[0]?.data['text/plain']).toBe('42');
  await eventually(async () => {
    const running = await holdfast.request('GET', `/v1/sessions/${sessionId}/processes?status=running&limit=200`);
    for (const { id, command } of running.body.items) {
      if (String(command) !== 'cat') continue;
      await holdfast.request('POST', `/v1/sessions/${sessionId}/processes/${id}/signal`, { signal: 'SIGKILL' });
    }
    expect(running.body.items).toEqual([]);
  });
  await eventually(() => expect(readdirSync(`/proc/${holdfast.pid}/fd`).length).toBeLessThan(200));
}, 60_000);
