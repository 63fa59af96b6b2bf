import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAgentTokens, type TokenHolder } from './agent-tokens.ts';
import { newSigningKey, type SigningKeys, signingKeys } from './signing-keys.ts';

const start = new Date('2026-01-01T00:00:00Z');
const subject = { sessionId: 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v', sandboxUid: 'uid_a', epoch: 3 };

beforeEach(() => vi.useFakeTimers({ now: start, toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

async function holderAndTokens() {
  const stored: { expiresAt: Date; previous: Date }[] = [];
  const keys = await signingKeys({ current: newSigningKey() });
  const tokens = createAgentTokens<TokenHolder>({
    issuer: 'holdfast',
    keys,
    accepts: async () => true,
    storeToken: ({ token }, previous) => stored.push({ expiresAt: token.expiresAt, previous }),
  });
  const holder: TokenHolder = { ...subject, token: await tokens.newToken(subject) };
  return { tokens, holder, stored, keys };
}

const after = (seconds: number) => vi.setSystemTime(start.getTime() + seconds * 1000);

test('a token says who it is for, for five minutes, under the current key', async () => {
  const { holder, keys } = await holderAndTokens();
  const seconds = start.getTime() / 1000;
  expect(decodeJwt(holder.token.token)).toMatchObject({
    iss: 'holdfast',
    aud: 'uid_a',
    sub: subject.sessionId,
    epoch: 3,
    iat: seconds,
    exp: seconds + 300,
  });
  expect(decodeProtectedHeader(holder.token.token)).toEqual({
    alg: 'EdDSA',
    typ: 'holdfast-agent+jwt',
    kid: keys.current.kid,
  });
});

test('until half its life a token is used as it is', async () => {
  const { tokens, holder, stored } = await holderAndTokens();
  const { token } = holder.token;
  after(149);
  expect(await tokens.authorization(holder)).toEqual({ authorization: `Bearer ${token}` });
  expect(stored).toEqual([]);
});

test('past half its life it is used once more while its successor is made and stored over it', async () => {
  const { tokens, holder, stored } = await holderAndTokens();
  const first = holder.token;
  after(151);
  expect(await tokens.authorization(holder)).toEqual({ authorization: `Bearer ${first.token}` });
  await vi.waitFor(() => expect(stored).toHaveLength(1));
  expect(stored[0]?.previous).toEqual(first.expiresAt);
  expect(await tokens.authorization(holder)).toEqual({ authorization: `Bearer ${holder.token.token}` });
  expect(holder.token.token).not.toBe(first.token);
});

test('one that has all but expired is never sent', async () => {
  const { tokens, holder } = await holderAndTokens();
  const first = holder.token.token;
  after(295);
  expect(await tokens.authorization(holder)).not.toEqual({ authorization: `Bearer ${first}` });
});

test('after a rotation, an agent that knows only the previous key goes on getting tokens under it', async () => {
  const [previous, current] = [newSigningKey(), newSigningKey()];
  const [before, after] = await Promise.all([signingKeys({ current: previous }), signingKeys({ current, previous })]);
  const known = { old: [before.current.kid], young: [before.current.kid, after.current.kid] };
  for (const [kids, expected] of [
    [known.old, before.current.kid],
    [known.young, after.current.kid],
  ] as const) {
    const of = (keys: SigningKeys) =>
      createAgentTokens<TokenHolder>({
        issuer: 'holdfast',
        keys,
        accepts: async ({ token }) => kids.includes(decodeProtectedHeader(token.token).kid ?? ''),
        storeToken: () => {},
      });
    const holder: TokenHolder = { ...subject, token: await of(before).newToken(subject) };
    vi.setSystemTime(start.getTime() + 299_000);
    const { authorization = '' } = await of(after).authorization(holder);
    expect(decodeProtectedHeader(authorization.slice('Bearer '.length)).kid).toBe(expected);
    vi.setSystemTime(start.getTime());
  }
});
