/** Names of the security schemes of the public API. A caller needs to meet one of them. */
export const keySchemes = ['bearerKey', 'headerKey'] as const;

/** The same for operations that accept signed URLs. */
export const keyOrSignatureSchemes = [...keySchemes, 'signedUrl'] as const;

/** The same for operations that a browser opens with the token of a share link. */
export const keyOrShareSchemes = [...keySchemes, 'shareToken'] as const;

export const keySchemeDefinitions = {
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key as `Authorization: Bearer <key>`, a token of the issuer that the operator has configured, or the token of a share link for the operations that the link allows',
  },
  headerKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key as `X-API-Key: <key>`' },
  shareToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The token of a share link, for an EventSource or a WebSocket of a browser, which sends no headers',
  },
  signedUrl: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description:
      'A URL that was requested with `signedSeconds`, or of a file from `POST …/files/links`: its `expires` and `signature` replace the key',
  },
} as const;

/** The security scheme of the session-agent: a token that is valid for one sandbox, session and epoch. */
export const tokenSchemes = ['sessionToken'] as const;

export const tokenSchemeDefinitions = {
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Ed25519, `typ` holdfast-agent+jwt; `aud` is the uid of the sandbox, `sub` is the session',
  },
} as const;
