import { createInterface } from 'node:readline';
import { type Client, createClient, RefusedRequest, type StepEvent } from './client.ts';
import { type Model, type Observation, scriptedModel } from './model.ts';

const files = {
  'stats.py': 'def mean(numbers):\n    return sum(numbers) / 10\n',
  'numbers.txt': '3\n4\n8\n',
};

/** The agent may change two files, each change waits for an approval, and after six steps or 400 tokens it is over. */
const rules = {
  policy: { preset: 'safe-edit', world: { writePatterns: ['stats.py', 'report.md'] } },
  budget: { iterations: 6, tokens: 400 },
};

type Statistics = { items: { operation: string; count: number; denied: number }[] };
type Proposal = { changes: { path: string; change: string; diff: string | null }[] };

type Host = { client: Client; model: Model; approve(question: string): Promise<boolean> };

/** Lets the agent work in a session until it has finished or its budget is used up. */
async function runAgent(host: Host): Promise<void> {
  const { client, model } = host;
  const session = await client.call<{ id: string }>('POST', '/sessions', { files, ...rules });
  console.log(`session ${session.id}`);
  let seen: Observation = { output: '', notes: [] };
  try {
    for (;;) {
      const code = await model.nextStep(seen);
      if (code === null) break;
      seen = await runStep(host, session.id, code);
    }
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== 'budget-exceeded') throw error;
    console.log(`stopped: ${error.message}`);
  }
  await client.call('POST', `/sessions/${session.id}/complete`);
  const { items } = await client.call<Statistics>('GET', `/sessions/${session.id}/audit/statistics`);
  for (const { operation, count, denied } of items) console.log(`  ${operation}: ${count}, denied ${denied}`);
}

async function runStep(host: Host, sessionId: string, code: string): Promise<Observation> {
  console.log(`\n>>> ${code.trim().split('\n').join('\n... ')}`);
  let output = '';
  const notes: string[] = [];
  for await (const event of host.client.run(sessionId, code)) {
    if (event.type === 'stdout') output += event.text;
    if (event.type === 'error') output += `${event.name}: ${event.message}\n`;
    if (event.type === 'operation_request') await answer(host, sessionId, event);
    if (event.type === 'artifact' && event.rule) notes.push(`${event.path} was put back, because of ${event.rule}`);
    if (event.type === 'proposal') notes.push(await decide(host, sessionId, event));
  }
  process.stdout.write(output);
  for (const note of notes) console.log(`(${note})`);
  return { output, notes };
}

/** Answers a call of the agent's code. The policy has been checked before it comes here, and the step has begun within its budget. */
async function answer({ client, model }: Host, sessionId: string, event: StepEvent): Promise<void> {
  const {
    operationId,
    name,
    arguments: [prompt],
  } = event as unknown as { operationId: string; name: string; arguments: string[] };
  const path = `/sessions/${sessionId}/operations/${operationId}/result`;
  if (name !== 'llm.complete' || prompt === undefined) {
    await client.call('POST', path, { error: { message: `this host has no ${name}` } });
    return;
  }
  const { text, tokens } = await model.complete(prompt);
  await client.call('POST', path, { value: text, usage: { tokens } });
}

/** Shows the changes of a step, and commits or rejects them as the person says. */
async function decide({ client, approve }: Host, sessionId: string, { id }: StepEvent): Promise<string> {
  const path = `/sessions/${sessionId}/proposals/${id}`;
  const { changes } = await client.call<Proposal>('GET', path);
  for (const { diff, path: file, change } of changes) console.log(diff ?? `${file}: ${change}`);
  const isApproved = await approve('Apply these changes? [y/n] ');
  await client.call('POST', `${path}/${isApproved ? 'commit' : 'reject'}`);
  return isApproved ? 'the changes were applied' : 'the changes were rejected';
}

/** Lines are read one by one, so that answers may also come from a pipe. */
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

await runAgent({
  client: createClient({ url: process.env.HOLDFAST_URL ?? 'http://127.0.0.1:8080', key: process.env.HOLDFAST_API_KEY }),
  model: scriptedModel(),
  async approve(question) {
    process.stdout.write(question);
    const { value = '' } = await answers.next();
    return value.trim().toLowerCase().startsWith('y');
  },
});
process.exit();
