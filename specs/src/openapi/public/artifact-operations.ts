import { artifactSchema } from '../../public/artifact.ts';
import { page } from '../../public/page.ts';
import type { ProblemSlug } from '../../public/problems.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import {
  artifactPath,
  contentHeaders,
  jobFilePath,
  jobFileQuery,
  listArtifactsQuery,
  sessionPath,
  signatureQuery,
  signedQuery,
} from '../parts/parameters.ts';
import { keyOrSignatureSchemes, keySchemes } from '../parts/security.ts';

const tag = 'Artifacts';
const security = keySchemes;
const problems: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];
const content = {
  tag,
  security: keyOrSignatureSchemes,
  headers: contentHeaders,
  answers: {
    200: bytes('The content, with its own content type; the ETag is the sha256'),
    206: bytes('The range'),
    304: nothing('It is the content that the caller has'),
  },
  problems: [...problems, 'range-not-satisfiable', 'storage-unavailable'],
} as const;

/** What steps and jobs did to files; the contents outlive the sandbox. */
export const artifactOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/artifacts',
    operationId: 'listArtifacts',
    tag,
    security,
    summary: 'List what the steps of a session did to files',
    description: 'Oldest first. Also of sessions that have ended, until they are deleted.',
    params: sessionPath,
    query: listArtifactsQuery,
    answers: { 200: json('A page', page(artifactSchema), { items: [examples.artifact], nextCursor: null }) },
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
      'As RFC 9110 has it for one range and for `If-None-Match`. Answers `HEAD` too. 404 where the content was not kept, 410 once the ' +
      'session is deleted; until then it can be read, whatever became of the sandbox. A signed URL needs no key.',
    params: artifactPath,
    query: signatureQuery,
    ...content,
  },
  {
    method: 'get',
    path: '/v1/artifacts/{sessionId}/{jobId}/{filename}',
    operationId: 'readJobFile',
    summary: 'Read a file of a job by its name',
    description: 'As the content of an artifact. What a job printed is in `stdout.txt` and `stderr.txt`.',
    params: jobFilePath,
    query: jobFileQuery,
    ...content,
  },
];
