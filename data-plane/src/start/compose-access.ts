import { type CreateApiKey, Problem } from '@holdfast/specs/public';
import { createAuthenticate } from '../access/authenticate.ts';
import { createApiKey } from '../access/create-api-key.ts';
import { listApiKeys } from '../access/list-api-keys.ts';
import { createOpenRequests } from '../access/open-requests.ts';
import { revokeApiKey } from '../access/revoke-api-key.ts';
import type { Config } from '../config/parse-config.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { createTokenIssuer } from '../keys/token-issuer.ts';
import { createShare } from '../sharing/create-share.ts';
import { listShares } from '../sharing/list-shares.ts';
import { revokeShare } from '../sharing/revoke-share.ts';
import type { Core } from './compose-core.ts';

/** Authentication, the verbs of API keys, and the requests that end with their keys. Requests without a key are admitted until the first key is created. */
export function composeAccess({ config, keyless, core }: { config: Config; keyless: boolean; core: Core }) {
  const { db } = core;
  const state = { keyless };
  const { oidc } = config;
  const authentication = createAuthenticate({
    db,
    seal: core.seal,
    keylessTenant: () => (state.keyless ? config.bootstrap.tenant : null),
    tokens: oidc && { ...oidc, tenant: config.bootstrap.tenant, issuer: createTokenIssuer(oidc) },
  });
  const openRequests = createOpenRequests({ db });
  const verbs = {
    authenticate: authentication.authenticate,
    async createApiKey(input) {
      if (state.keyless) requireAdmin(input.request);
      const key = await createApiKey(core, input);
      state.keyless = false;
      return key;
    },
    createShare: (input) => createShare(core, input),
    listShares: (input) => listShares(core, input),
    revokeShare: (input) => revokeShare({ db, authentication, openRequests }, input),
    listApiKeys: (input) => listApiKeys(core, input),
    revokeApiKey: (input) => revokeApiKey({ db, authentication }, input),
  } satisfies Partial<Verbs>;
  return { verbs, openRequests };
}

/** After the first key every request needs one, so without this scope the deployment would have locked itself out. @throws Problem */
function requireAdmin({ scopes }: CreateApiKey): void {
  if (scopes.includes('admin')) return;
  const detail =
    'must contain "admin": once the first key exists every request needs a key, and this one creates the others';
  throw new Problem('invalid-request', { detail: '1 fault', errors: [{ pointer: '/scopes', detail }] });
}
