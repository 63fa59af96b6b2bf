import { artifactIdSchema, sandboxPath, sessionIdSchema, stepIdSchema } from '@holdfast/specs/public';

type OfArtifact = { sessionId: string; artifactId: string };
type OfOutput = { sessionId: string; stepId: string; stream: 'stdout' | 'stderr'; offset?: number };
type OfFile = { sessionId: string; path: string };

/** A thing that clients can read by its URI. */
export type ResourceName =
  | ({ kind: 'artifact' } & OfArtifact)
  | ({ kind: 'output' } & OfOutput)
  | ({ kind: 'file' } & OfFile);

const root = 'holdfast://sessions/';

export const artifactUri = ({ sessionId, artifactId }: OfArtifact): string =>
  `${root}${sessionId}/artifacts/${artifactId}`;

export const outputUri = ({ sessionId, stepId, stream, offset = 0 }: OfOutput): string =>
  `${root}${sessionId}/steps/${stepId}/${stream}${offset > 0 ? `?offset=${offset}` : ''}`;

export const fileUri = ({ sessionId, path }: OfFile): string =>
  `${root}${sessionId}/files/${path.split('/').map(encodeURIComponent).join('/')}`;

/** The forms of the URIs (RFC 6570). */
export const uriTemplates = [
  {
    name: 'artifact',
    uriTemplate: `${root}{sessionId}/artifacts/{artifactId}`,
    description: 'A file as a step left it, also when it was changed later',
  },
  {
    name: 'file',
    uriTemplate: `${root}{sessionId}/files/{path}`,
    description: 'A file of the workspace as it is now',
  },
  {
    name: 'output',
    uriTemplate: `${root}{sessionId}/steps/{stepId}/{stream}{?offset}`,
    description: 'The whole stdout or stderr of a step from a byte offset on, up to 1 MiB at a time',
  },
];

const form =
  /^holdfast:\/\/sessions\/([^/]+)\/(?:artifacts\/([^/?]+)|files\/([^?]+)|steps\/([^/]+)\/(stdout|stderr)(?:\?offset=(\d{1,15}))?)$/;

/** The thing that a URI names, or null. Pure. */
export function parseResourceUri(uri: string): ResourceName | null {
  const [, sessionId = '', artifactId, encodedPath, stepId, stream, offset = '0'] = form.exec(uri) ?? [];
  if (!sessionIdSchema.safeParse(sessionId).success) return null;
  if (artifactId !== undefined) {
    return artifactIdSchema.safeParse(artifactId).success ? { kind: 'artifact', sessionId, artifactId } : null;
  }
  if (encodedPath !== undefined) {
    const path = sandboxPath(decoded(encodedPath) ?? '..');
    return path ? { kind: 'file', sessionId, path } : null;
  }
  if (!stepIdSchema.safeParse(stepId).success) return null;
  return {
    kind: 'output',
    sessionId,
    stepId: stepId as string,
    stream: stream as 'stdout' | 'stderr',
    offset: Number(offset),
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
