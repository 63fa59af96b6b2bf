import { createMCPClient } from '@ai-sdk/mcp';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { createInstallation } from '../support/installation.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

type ToolCall = [name: string, input: object];

/** A model that calls these tools one after the other, and then has an answer. */
function scriptedModel(script: readonly ToolCall[]) {
  let turn = 0;
  return new MockLanguageModelV4({
    async doGenerate() {
      const call = script[turn++];
      const content = call
        ? { type: 'tool-call' as const, toolCallId: `call-${turn}`, toolName: call[0], input: JSON.stringify(call[1]) }
        : { type: 'text' as const, text: 'done' };
      const finish = call ? 'tool-calls' : 'stop';
      return { content: [content], finishReason: { unified: finish, raw: finish }, usage, warnings: [] } as const;
    },
  });
}

test('an agent of the AI SDK calls every tool with its own MCP client', async () => {
  await using installation = await createInstallation();
  const holdfast = await installation.start();
  const client = await createMCPClient({ transport: { type: 'http', url: `${holdfast.url}/mcp` } });
  const script: [...ToolCall, seen: object | string][] = [
    ['write_file', { path: 'n.txt', content: '20' }, { isNew: true }],
    ['run_code', { code: 'n = int(open("n.txt").read()) + 1\nn' }, { result: '21' }],
    ['run_code', { code: 'n / 0' }, { status: 'failed' }],
    ['run_command', { command: 'cat n.txt; exit 3' }, { stdout: '20', exitCode: 3 }],
    ['read_file', { path: 'n.txt' }, { text: '20' }],
    ['read_file', { path: 'absent' }, 'Not found'],
    ['list_files', {}, { items: [{ path: 'n.txt' }] }],
    ['get_context', {}, { symbols: [{ name: 'n', preview: '21' }] }],
    ['restart_interpreter', {}, { context: 'python' }],
    ['create_session', { name: 'second' }, { name: 'second', isCurrent: true }],
    ['list_sessions', {}, { sessions: [{ name: 'second' }, { name: null }] }],
    ['use_session', { session: 'second' }, { name: 'second' }],
    ['end_session', {}, { status: 'completed' }],
  ];
  const tools = await client.tools();
  const model = scriptedModel(script.map(([name, input]) => [name, input]));
  const { steps, text } = await generateText({ model, tools, prompt: 'Go.', stopWhen: stepCountIs(50) });
  expect(text).toBe('done');
  const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  expect(outputs).toHaveLength(script.length);
  for (const [index, [, , seen]] of script.entries()) {
    if (typeof seen === 'string') expect(JSON.stringify(outputs[index])).toContain(seen);
    else expect(outputs[index]).toMatchObject({ structuredContent: seen });
  }
  expect(new Set(script.map(([name]) => name))).toEqual(new Set(Object.keys(tools)));
  await client.close();
}, 120_000);
