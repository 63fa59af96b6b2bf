import type { AgentPolicy } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';

/** Languages whose programs can be kept from starting other programs. */
const confinable: ReadonlySet<string> = new Set(['python', 'node', 'bun', 'ruby']);

/** The part of the session's policy that the agent enforces. */
export class SessionRules {
  #policy: AgentPolicy = { revision: 0, allowShellCommands: true };

  #onConfining: () => void;

  /** `onConfining` is called when code may not start programs from now on. */
  constructor({ onConfining }: { onConfining: () => void }) {
    this.#onConfining = onConfining;
  }

  /** Whether code may not start programs. */
  get isConfining(): boolean {
    return !this.#policy.allowShellCommands;
  }

  /** Has no effect if a later revision is known: its client slept. */
  follow(policy: AgentPolicy): void {
    if (policy.revision < this.#policy.revision) return;
    this.#policy = policy;
    if (this.isConfining) this.#onConfining();
  }

  /**
   * For a request that starts code: its client has decided by the policy of this revision.
   * @throws Problem `policy-changed` if that is not the revision which the agent has
   */
  assertRevision(given: string | undefined): void {
    const { revision } = this.#policy;
    if (given === undefined ? revision === 0 : Number(given) === revision) return;
    throw new Problem('policy-changed', { detail: `the sandbox has revision ${revision} of the session's policy` });
  }

  /** @throws Problem `policy-denied` if code of the language could start programs and may not */
  assertLanguage(language: string): void {
    if (!this.isConfining || confinable.has(language)) return;
    throw new Problem('policy-denied', { detail: `the session's policy forbids code in ${language}` });
  }
}
