import { invalidRequest, Problem, stdinSchema, stepIdForKey } from '@holdfast/specs/public';
import { z } from 'zod';
import type { Call } from '../call/call.ts';
import { callKey } from '../steps/run-code.ts';
import { answeredBy } from './event-id.ts';

/** The answer of a client to a question (MCP 2025-11-25, Elicitation). An error is one, too: the code must not wait for ever. */
const answerSchema = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.never().optional(),
  id: z.string().max(1024),
  result: z
    .object({
      action: z.enum(['accept', 'decline', 'cancel']),
      content: z.object({ input: z.unknown().optional() }).nullish(),
    })
    .optional(),
});

/** Such as one that another client has answered, or of which the code has ended meanwhile. */
const isOver: ReadonlySet<string> = new Set<Problem['slug']>(['not-found', 'session-ended', 'stdin-closed']);

/**
 * Passes the answer to a question on to the code that has asked it. If the person declined, the code finds the end of its input.
 * @returns whether the message is such an answer
 * @throws Problem 400 if the input is too long, and as `sendStdin` does
 */
export async function takeInput(
  verbs: Pick<Call['verbs'], 'sendStdin'>,
  { caller, mcp, message }: Pick<Call, 'caller' | 'mcp'> & { message: unknown },
): Promise<boolean> {
  const answer = answerSchema.safeParse(message).data;
  if (!answer) return false;
  const { sessionId, requestId } = answeredBy(answer.id) ?? {};
  if (sessionId === undefined || requestId === undefined) return false;
  const text = answer.result?.action === 'accept' ? (answer.result.content?.input ?? '') : null;
  const input = stdinSchema.safeParse({ text });
  if (!input.success) throw invalidRequest(input.error);
  // Only the MCP session that was asked has made a step with this id.
  const stepId = stepIdForKey(sessionId, callKey(mcp.id, requestId));
  const idempotencyKey = callKey(mcp.id, answer.id);
  try {
    await verbs.sendStdin({ caller, sessionId, stepId, input: input.data, idempotencyKey });
  } catch (error) {
    if (!(error instanceof Problem) || !isOver.has(error.slug)) throw error;
  }
  return true;
}
