/** An agent of the AI SDK that works in a session: its code keeps its state from one tool call to the next. */

import { Holdfast } from '@holdfast/sdk';
import { createTools } from '@holdfast/sdk/ai-sdk';
import { isStepCount, ToolLoopAgent } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

/** Plays a model that calls two tools. Put yours here, such as `'anthropic/claude-sonnet-4.5'`. */
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const calls = ['rows = [3, 4, 8]', 'sum(rows) / len(rows)'].map((code, i) => ({
  content: [{ type: 'tool-call', toolCallId: `${i}`, toolName: 'run_code', input: JSON.stringify({ code }) }],
  finishReason: { unified: 'tool-calls' },
  usage,
  warnings: [],
}));
const last = {
  content: [{ type: 'text', text: 'The mean is 5.' }],
  finishReason: { unified: 'stop' },
  usage,
  warnings: [],
};
// biome-ignore lint/suspicious/noExplicitAny: a real model needs none of this.
const model = new MockLanguageModelV4({ doGenerate: [...calls, last] as any });

await using session = await new Holdfast().sessions.create();
const agent = new ToolLoopAgent({ model, tools: createTools(session), stopWhen: isStepCount(10) });
const { text, steps } = await agent.generate({ prompt: 'What is the mean of 3, 4 and 8?' });
for (const { toolCalls, toolResults } of steps) {
  for (const { input } of toolCalls) console.log('>', input);
  for (const { output } of toolResults) console.log('<', output);
}
console.log(text);
