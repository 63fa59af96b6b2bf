import { createHash } from 'node:crypto';
import { invalidRequest, type Problem, type RunStep, runStepSchema, stepIdForKey } from '@holdfast/specs/public';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { LiveStep } from '../../../steps/live-step.ts';
import type { Call } from '../call/call.ts';
import { followToEnd } from './follow-to-end.ts';
import { createOutputGatherer } from './gather-output.ts';
import { createQuestions } from './put-questions.ts';
import { createProgress } from './report-progress.ts';
import { stepResult } from './step-result.ts';

/** The key of a request of an MCP session. Clients do not use the id of a request twice. */
export const callKey = (mcpSessionId: string, requestId: string | number): string =>
  `mcp:${createHash('sha256')
    .update(JSON.stringify([mcpSessionId, requestId]))
    .digest('hex')}`;

/**
 * Runs code in a session and answers when it has ended. A repeat of the request joins the step that the first one has started.
 * @throws Problem as `runStep` does, and 400
 */
export async function runCode(
  call: Call,
  sessionId: string,
  step: Partial<RunStep> & { code: string },
): Promise<CallToolResult> {
  const { verbs, caller, mcp, key, cancelled } = call;
  const parsed = runStepSchema.safeParse({
    actorName: mcp.clientName ?? undefined,
    resume: true,
    wait: false,
    stdin: mcp.elicits,
    ...step,
  });
  if (!parsed.success) throw invalidRequest(parsed.error);
  // Its session has just begun, which may have taken minutes.
  if (mcp.sessionId === null) await call.lookForCancel();
  if (cancelled.aborted) return neverRun;
  const live = await verbs.runStep({
    caller,
    sessionId,
    request: parsed.data,
    idempotencyKey: key,
    isWatched: call.notify !== null,
  });
  return await answerStep(call, live);
}

const neverRun: CallToolResult = {
  content: [{ type: 'text', text: 'The call was cancelled, and nothing of it ran.' }],
  isError: true,
};

/**
 * Waits for the end of a step and answers it, with its output as progress and its questions meanwhile. Interrupts it if the call is cancelled.
 * @throws Problem
 */
export async function answerStep(call: Call, live: LiveStep): Promise<CallToolResult> {
  const { caller, left, notify, cancelled } = call;
  // The session in which the tools work may be another one by then. A client that cancels does not wait for the outcome.
  const interrupt = () => void interruptCall(call, live.sessionId).catch(() => {});
  if (cancelled.aborted) interrupt();
  cancelled.addEventListener('abort', interrupt, { once: true });
  const gatherer = createOutputGatherer();
  const progress = notify && createProgress(notify, live);
  const questions = createQuestions(call, live);
  try {
    const reader = { tenant: caller.tenant, signal: left };
    const step = await followToEnd({
      live,
      reader,
      onPart(part) {
        gatherer.add(part);
        progress?.add(part);
        questions.add(part);
      },
    });
    return stepResult(step, gatherer.output(), questions.notes());
  } finally {
    progress?.close();
  }
}

const notThere: ReadonlySet<string> = new Set<Problem['slug']>(['not-found', 'session-ended']);

/** Interrupts the step of a request, wherever it runs. Does nothing if there is none, or it has ended. */
export async function interruptCall(
  { verbs, caller, mcp, key }: Pick<Call, 'verbs' | 'caller' | 'mcp' | 'key'>,
  sessionId: string,
): Promise<void> {
  const by = { actor: 'agent', ...(mcp.clientName && { actorName: mcp.clientName }) } as const;
  try {
    await verbs.interruptStep({ caller, sessionId, stepId: stepIdForKey(sessionId, key), by });
  } catch (error) {
    if (!notThere.has((error as Partial<Problem>).slug ?? '')) throw error;
  }
}
