/** Names of the security schemes of the public API; either lets a caller in. */
export const keySchemes = ['bearerKey', 'headerKey'] as const;

/** The same where a URL may be signed. */
export const keyOrSignatureSchemes = [...keySchemes, 'signedUrl'] as const;

export const keySchemeDefinitions = {
  bearerKey: { type: 'http', scheme: 'bearer', description: 'An API key as `Authorization: Bearer <key>`' },
  headerKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key as `X-API-Key: <key>`' },
  signedUrl: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description: 'A URL that came with `signedSeconds`: its `expires` and `signature` stand for a key',
  },
} as const;

/** The session-agent's: a token that holds for one sandbox, session and epoch. */
export const tokenSchemes = ['sessionToken'] as const;

export const tokenSchemeDefinitions = {
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Ed25519, `typ` holdfast-agent+jwt; `aud` is the uid of the sandbox, `sub` the session',
  },
} as const;
