import { artifactSchema } from '../../public/artifact.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/file-examples.ts';
import type { Operation } from '../parts/operation.ts';
import { contentHeaders, jobFileQuery, listArtifactsQuery, signatureQuery, signedQuery } from '../parts/parameters.ts';
import { artifactPath, jobFilePath, sessionPath } from '../parts/path-parameters.ts';
import { keyOrSignatureSchemes, keySchemes } from '../parts/security.ts';

const tag = 'Artifacts';
const security = keySchemes;
const problems: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];
const content = {
  tag,
  security: keyOrSignatureSchemes,
  headers: contentHeaders,
  answers: {
    200: bytes('The content with its own content type; the ETag is the SHA-256'),
    206: bytes('The requested range'),
    304: nothing('The content has not changed'),
  },
  problems: [...problems, 'range-not-satisfiable', 'storage-unavailable'],
} as const;

/** Artifacts: the changes that steps and jobs made to files. Their contents outlive the sandbox. */
export const artifactOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/artifacts',
    operationId: 'listArtifacts',
    tag,
    security,
    summary: 'List the artifacts of a session',
    description:
      'The artifacts are the files that its steps created, changed or deleted, oldest first. They stay readable after the session ends, until it is deleted.',
    params: sessionPath,
    query: listArtifactsQuery,
    answers: {
      200: json('A page of artifacts', page(artifactSchema), { items: [examples.artifact], nextCursor: null }),
    },
    problems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/artifacts/{artifactId}',
    operationId: 'getArtifact',
    tag,
    security,
    summary: 'Get an artifact',
    params: artifactPath,
    query: signedQuery,
    answers: { 200: json('The artifact', artifactSchema, examples.artifact) },
    problems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/artifacts/{artifactId}/content',
    operationId: 'readArtifact',
    summary: 'Read the content of an artifact',
    description:
      'Supports a single range and `If-None-Match` as in RFC 9110, and `HEAD`. Answers 404 if the content was not stored and 410 after ' +
      'the session is deleted; until then the content stays readable even if the sandbox is gone. A signed URL needs no key.',
    params: artifactPath,
    query: signatureQuery,
    ...content,
  },
  {
    method: 'get',
    path: '/v1/artifacts/{sessionId}/{jobId}/{filename}',
    operationId: 'readJobFile',
    summary: 'Read a file of a job by its name',
    description:
      'Works like reading the content of an artifact. `stdout.txt` and `stderr.txt` contain the output that the job printed.',
    params: jobFilePath,
    query: jobFileQuery,
    ...content,
  },
];
