import {
  agentProcessSchema,
  agentSignalSchema,
  attachProcessSchema,
  endProcessesQuerySchema,
  outputOffsetHeader,
  policyRevisionHeader,
  processAcksSchema,
  processOutputQuerySchema,
  processStdinQuerySchema,
  stdinBytesMax,
} from '@holdfast/specs/agent';
import { invalidRequest, Problem, processIdSchema, terminalSizeSchema } from '@holdfast/specs/public';
import type { Hono } from 'hono';
import * as z from 'zod';
import type { ContextSet } from '../contexts/context-set.ts';
import type { OutputStream } from '../processes/log/block.ts';
import type { ProcessSet } from '../processes/process-set.ts';
import { readQuery } from './file-query.ts';
import type { Environment } from './listen.ts';
import { answeredItself } from './plain-response.ts';
import { parseBy, readBytes, readJson } from './read-json.ts';
import { streamProcess } from './stream-process.ts';

/** Enough for the longest command and input as JSON, in which a character may take six bytes. */
const startBytesMax = 16 * 1024 * 1024;
const path = '/v1/processes/:processId';

/** Starts and follows processes, gives them input and signals, and ends them. */
export function processOperations(
  app: Hono<Environment>,
  { processes, contexts }: { processes: ProcessSet; contexts: Pick<ContextSet, 'rules'> },
): void {
  app.post('/v1/processes', async (c) => {
    const { output, paced, ...request } = await readJson(c.env.incoming, agentProcessSchema, startBytesMax);
    contexts.rules.assertRevision(c.req.header(policyRevisionHeader));
    const process = await processes.start(request);
    streamProcess(c.env.outgoing, process, { after: 0, output, paced });
    return answeredItself;
  });

  app.get('/v1/processes', (c) => c.json({ processes: processes.list() }));

  app.delete('/v1/processes', async (c) => {
    const { cause } = parseBy(endProcessesQuerySchema, c.req.query());
    await processes.end({ code: cause });
    return c.body(null, 204);
  });

  app.post('/v1/processes/acks', async (c) => {
    const { processIds } = await readJson(c.env.incoming, processAcksSchema);
    processes.acknowledge(processIds);
    return c.body(null, 204);
  });

  app.get(path, async (c) => c.json((await processes.find(idOf(c.req.param('processId')))).state));

  app.post(`${path}/attach`, async (c) => {
    const id = idOf(c.req.param('processId'));
    const { burn, ...following } = await readJson(c.env.incoming, attachProcessSchema);
    const process = await processes.attach(id, { burn });
    if (following.after > process.log.position) {
      throw new Problem('invalid-request', { detail: `${id} has no position ${following.after} yet` });
    }
    streamProcess(c.env.outgoing, process, following);
    return answeredItself;
  });

  app.get(`${path}/output/:stream`, async (c) => {
    const { log } = await processes.find(idOf(c.req.param('processId')));
    const query = readQuery(c.env.incoming.url, processOutputQuerySchema);
    const { offset, pieces } = log.outputFrom(streamOf(c.req.param('stream')), query.offset);
    const bytes = Buffer.concat(pieces);
    c.env.outgoing
      .writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': bytes.length,
        [outputOffsetHeader]: offset,
      })
      .end(bytes);
    return answeredItself;
  });

  app.post(`${path}/stdin`, async (c) => {
    const id = idOf(c.req.param('processId'));
    const { offset, end } = readQuery(c.env.incoming.url, processStdinQuerySchema);
    const bytes = await readBytes(c.env.incoming, stdinBytesMax);
    const process = await processes.findForInput(id);
    return c.json(await process.input.give(bytes, { offset, end: end === 'true' }));
  });

  app.post(`${path}/signal`, async (c) => {
    const id = idOf(c.req.param('processId'));
    const { signal } = await readJson(c.env.incoming, agentSignalSchema);
    (await processes.find(id)).sendSignal(signal);
    return c.body(null, 204);
  });

  app.put(`${path}/terminal`, async (c) => {
    const id = idOf(c.req.param('processId'));
    const size = await readJson(c.env.incoming, terminalSizeSchema);
    (await processes.find(id)).resize(size);
    return c.body(null, 204);
  });
}

function streamOf(text: string): OutputStream {
  const parsed = z.enum(['stdout', 'stderr']).safeParse(text);
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/stream');
  return parsed.data;
}

function idOf(text: string): string {
  const parsed = processIdSchema.safeParse(text);
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/processId');
  return parsed.data;
}
