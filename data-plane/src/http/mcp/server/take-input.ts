import { Problem, type Stdin, stdinSchema, stepIdForKey } from '@holdfast/specs/public';
import { z } from 'zod';
import type { Call } from '../call/call.ts';
import { callKey } from '../steps/run-code.ts';
import { answeredBy, questionIdLengthMax } from './event-id.ts';

/** The answer of a client to a question (MCP 2025-11-25, Elicitation). */
const answerSchema = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.never().optional(),
  id: z.string().max(questionIdLengthMax),
  result: z.unknown().optional(),
});

const acceptedSchema = z.object({
  action: z.literal('accept'),
  content: z.object({ input: z.union([z.string(), z.number(), z.boolean()]).optional() }).nullish(),
});

/** Such as one that another client has answered, or of which the code has ended meanwhile. */
const isOver: ReadonlySet<string> = new Set<Problem['slug']>(['not-found', 'session-ended', 'stdin-closed']);

/**
 * Passes the answer to a question on to the code that has asked it. Clients answer once, so the code finds the end of its input if the person
 * declined, and if the answer is an error or no text that code can read.
 * @returns whether the message is such an answer
 * @throws Problem as `sendStdin` does
 */
export async function takeInput(
  verbs: Pick<Call['verbs'], 'sendStdin'>,
  { caller, mcp, message }: Pick<Call, 'caller' | 'mcp'> & { message: unknown },
): Promise<boolean> {
  const answer = answerSchema.safeParse(message).data;
  if (!answer) return false;
  const { sessionId, requestId } = answeredBy(answer.id) ?? {};
  if (sessionId === undefined || requestId === undefined) return false;
  // Only the MCP session that was asked has made a step with this id.
  const stepId = stepIdForKey(sessionId, callKey(mcp.id, requestId));
  const idempotencyKey = callKey(mcp.id, answer.id);
  try {
    await verbs.sendStdin({ caller, sessionId, stepId, input: inputOf(answer.result), idempotencyKey });
  } catch (error) {
    if (!(error instanceof Problem) || !isOver.has(error.slug)) throw error;
  }
  return true;
}

/** A question asks for one line. The code's next questions would take further ones, without the person being asked. */
function inputOf(result: unknown): Stdin {
  const accepted = acceptedSchema.safeParse(result).data;
  const [line = ''] = String(accepted?.content?.input ?? '').split(/\r?\n/, 1);
  const input = stdinSchema.safeParse({ text: accepted ? line : null });
  return input.data ?? { text: null };
}
