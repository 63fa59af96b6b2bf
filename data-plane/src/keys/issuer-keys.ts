import { Problem } from '@holdfast/specs/public';
import { createRemoteJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { z } from 'zod';

type IssuerKeysInput = {
  issuer: string;
  /** The address of the keys; null if the issuer's discovery document says it. */
  jwksUrl: string | null;
  /** For so long they are not fetched again for a token that names an unknown key, or after the issuer did not answer. */
  cooldownMs?: number;
  /** Older keys are fetched again, so that one which the issuer has withdrawn is refused. */
  ageMsMax?: number;
};

const answerMs = 5000;

/**
 * The public keys of an issuer, fetched when a token first needs them. If the issuer does not answer, those that are known go on to count; a
 * token that needs others is refused with 503. However many tokens name unknown keys, there is one fetch a cooldown.
 */
export function createIssuerKeys({ issuer, jwksUrl, cooldownMs = 10_000, ageMsMax = 300_000 }: IssuerKeysInput) {
  let keys: ReturnType<typeof createRemoteJWKSet> | null = null;
  let fetching: Promise<void> | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let fault: unknown = null;

  const isCooling = () => performance.now() - askedAt < cooldownMs;

  async function fetchKeys(): Promise<void> {
    try {
      // When to fetch is decided here: jose asks an issuer that does not answer again for each token.
      const options = { cooldownDuration: Number.POSITIVE_INFINITY, cacheMaxAge: Number.POSITIVE_INFINITY };
      keys ??= createRemoteJWKSet(new URL(jwksUrl ?? (await discover(issuer))), {
        ...options,
        timeoutDuration: answerMs,
      });
      await keys.reload();
      fetchedAt = performance.now();
      fault = null;
    } catch (error) {
      fault = error;
    } finally {
      askedAt = performance.now();
    }
  }

  /** @throws Problem 503 if the issuer does not answer, or did not a moment ago */
  async function refresh(): Promise<void> {
    if (fetching || !isCooling()) {
      fetching ??= fetchKeys().finally(() => {
        fetching = null;
      });
      await fetching;
    }
    if (fault === null) return;
    throw new Problem('issuer-unreachable', {
      detail: 'the issuer of the token does not tell its keys, and the token needs one that is not known yet',
      retryAfterSeconds: cooldownMs / 1000,
      cause: fault,
    });
  }

  return {
    /** The key that has signed a token. Throws Problem 503, and jose's errors if the issuer has no such key. */
    async find(header: JWSHeaderParameters, token: FlattenedJWSInput) {
      if (performance.now() - fetchedAt > ageMsMax) {
        await refresh().catch((error) => {
          if (fetchedAt === Number.NEGATIVE_INFINITY) throw error;
        });
      }
      const known = () => (keys as NonNullable<typeof keys>)(header, token);
      try {
        return await known();
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || (isCooling() && fault === null)) throw error;
        await refresh();
        return await known();
      }
    },
  };
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** The address of the issuer's keys (OpenID Connect Discovery 1.0, 4). */
async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answerMs) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  const found = discovery.parse(await answer.json());
  if (found.issuer !== issuer) throw new Error(`${url} is of another issuer, ${found.issuer}`);
  return found.jwks_uri;
}
