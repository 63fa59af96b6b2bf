import type { TokenClaims } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';

/** The session and epoch to which this sandbox belongs for life: those of the first valid claims. */
export type Binding = {
  readonly session: { id: string; epoch: number } | null;
  /** @throws Problem `wrong-sandbox` for another session or epoch */
  admit(claims: Pick<TokenClaims, 'sub' | 'epoch'>): void;
};

/** `onSuperseded` is called when claims of a higher epoch show that this sandbox has a successor. */
export function createBinding(deps: { onSuperseded: () => void }): Binding {
  let session: Binding['session'] = null;

  return {
    get session() {
      return session;
    },

    admit(claims) {
      session ??= { id: claims.sub, epoch: claims.epoch };
      if (claims.sub !== session.id) throw refusal('the sandbox belongs to another session');
      if (claims.epoch < session.epoch) throw refusal('the claims are of an earlier epoch');
      if (claims.epoch > session.epoch) {
        deps.onSuperseded();
        throw refusal('the sandbox is of an earlier epoch and ends');
      }
    },
  };
}

const refusal = (detail: string) => new Problem('wrong-sandbox', { detail });
