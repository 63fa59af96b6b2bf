import { faultWords, invalidRequest, type Problem, problems } from '@holdfast/specs/public';
import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { asProblem } from '../../edge/answer-problem.ts';
import type { Call } from '../call/call.ts';
import { fileTools } from './file-tools.ts';
import { runTools } from './run-tools.ts';
import { sessionTools } from './session-tools.ts';
import { stateTools } from './state-tools.ts';
import type { Tool } from './tool.ts';

const tools = new Map(
  [...runTools, ...fileTools, ...stateTools, ...sessionTools].map((tool): [string, Tool] => [tool.name, tool]),
);

/** The tools as clients list them. Many clients know an older dialect of JSON Schema than the one that zod names. */
export const listedTools = [...tools.values()].map(({ name, title, description, annotations, input, output }) => ({
  name,
  title,
  description,
  annotations: { title, ...annotations },
  inputSchema: schemaOf(input, 'input'),
  outputSchema: schemaOf(output, 'output'),
}));

function schemaOf(schema: z.ZodObject, io: 'input' | 'output') {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return shape as typeof shape & { type: 'object' };
}

/**
 * Calls a tool. Arguments that are not valid, and refusals that a model can understand and act on, are results with `isError`, as the
 * specification has it. Faults of ours, and of programs that do not follow the protocol, are errors of the protocol.
 * @throws Problem with a status of 500 or more; McpError if there is no such tool
 */
export async function callTool(call: Call, { name, given }: { name: string; given: unknown }): Promise<CallToolResult> {
  const tool = tools.get(name);
  if (!tool) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${JSON.stringify(name.slice(0, 100))}`);
  try {
    const input = tool.input.safeParse(given ?? {}, { error: faultWords });
    if (!input.success) throw invalidRequest(input.error);
    return await tool.call(call, input.data);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status >= 500) throw problem;
    return { content: [{ type: 'text', text: refusalText(problem) }], isError: true };
  }
}

/** An error in the form of the protocol, without what is not for the client. */
export function asMcpError(error: unknown): McpError {
  if (error instanceof McpError) return error;
  const problem = asProblem(error);
  const { slug, status, options } = problem;
  const code = status >= 500 ? ErrorCode.InternalError : status === 404 ? resourceNotFound : ErrorCode.InvalidParams;
  const { retryAfterSeconds } = options;
  return new McpError(code, refusalText(problem), { code: slug, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

/** As the specification has it for resources. */
const resourceNotFound = -32_002;

function refusalText({ slug, options: { detail, errors, retryAfterSeconds } }: Problem): string {
  const faults = (errors ?? [])
    .slice(0, 20)
    .map(({ pointer, detail: fault }) => `- ${pointer || '(the whole)'}: ${fault}`);
  const text = `${problems[slug].title}${detail ? `: ${detail}` : ''}`;
  const later = retryAfterSeconds ? `Try again in ${retryAfterSeconds} s.` : null;
  return [text, ...faults, advice[slug], later].filter(Boolean).join('\n');
}

const advice: Partial<Record<Problem['slug'], string>> = {
  'policy-denied': 'Trying again will not help: do it another way, or ask the person.',
  'budget-exceeded': 'Ask the person for a larger budget.',
  'context-deleted': 'Leave context out, or choose one from get_context.',
};
