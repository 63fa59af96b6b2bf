import { AgentError } from '../../agent/agent-error.ts';
import { type EndOfProcess, lostProcess } from './process-end.ts';

type Tried = {
  /** Whether it was an attempt to attach; otherwise it was the request that starts the process. */
  attached: boolean;
  hasStarted: boolean;
};

/**
 * Decides what a failed request about a process means. Null: asking again can tell more. `not-started` is the only verdict after which the client
 * may send the request again, so it needs proof: it never reached the agent, or the agent refused it. Pure.
 *
 * @throws any error that is not an AgentError
 */
export function judgeBreak(error: unknown, { attached, hasStarted }: Tried): 'not-started' | EndOfProcess | null {
  if (!(error instanceof AgentError)) throw error;
  const { kind, slug, message } = error;
  if (kind === 'invalid') return lostProcess('result_refused', `broken protocol: ${message}`);
  if (kind === 'cut' || kind === 'excessive') return null;
  if (!attached) return kind === 'refused' && slug === 'step-repeated' ? null : 'not-started';
  if (kind === 'undelivered') return null;
  if (slug === 'not-found' && !hasStarted) return lostProcess('never_started');
  if (slug === 'step-repeated' || slug === 'not-found')
    return lostProcess('result_forgotten', 'the sandbox has forgotten the process');
  // The route is another sandbox's by now, or the session has ended: the registry knows.
  return null;
}
