import { eventContent } from '@holdfast/specs/public';
import type { FramePart } from '../../../steps/frames/frame-parts.ts';
import type { LiveStep } from '../../../steps/live-step.ts';
import type { Call } from '../call/call.ts';

/** Puts the questions that code asks to the person at its client. */
export function createQuestions({ verbs, caller, ask }: Pick<Call, 'verbs' | 'caller' | 'ask'>, live: LiveStep) {
  const { sessionId, id: stepId } = live;
  let latest: FramePart['seq'] | undefined;
  let refused = 0;

  /** A client that comes back gets all events anew: only the last question can still be open. */
  async function put({ seq, payload }: Pick<FramePart, 'seq' | 'payload'>): Promise<void> {
    if (seq !== latest) return;
    if (!(await verbs.findWaitingStep({ live })) || seq !== latest) return;
    const { prompt, password } = eventContent.input_request.parse(JSON.parse(payload.toString()));
    if (!password) return ask?.({ sessionId, seq, prompt });
    // A form must not ask for what is secret (MCP 2025-11-25, Elicitation, Security Considerations).
    refused += 1;
    await verbs.sendStdin({ caller, sessionId, stepId, input: { text: null } });
  }

  return {
    add(part: Pick<FramePart, 'type' | 'seq' | 'payload'>): void {
      if (!ask || part.type !== 'input_request') return;
      latest = part.seq;
      // If this fails, the step waits until its deadline, and clients of the API can still answer.
      setImmediate(() => void put(part).catch(() => {}));
    },

    notes: (): string[] => (refused > 0 ? ['Code cannot ask for a password here. Its input has ended there.'] : []),
  };
}
