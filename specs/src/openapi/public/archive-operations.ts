import { unpackedArchiveSchema } from '../../public/file.ts';
import { json } from '../parts/answers.ts';
import type { Answer, Operation } from '../parts/operation.ts';
import { archiveQuery } from '../parts/parameters.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';
import { fileProblems } from './file-operations.ts';

const contentTypes = ['application/x-tar', 'application/zip'] as const;
const binary = { schema: { type: 'string', format: 'binary' } } as const;
const archive: Answer = {
  description: 'The archive; the connection breaks off if a file becomes shorter while it is read',
  content: Object.fromEntries(contentTypes.map((contentType) => [contentType, binary])),
};

/** Directories of a session as archives. */
export const archiveOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/archive',
    operationId: 'readArchive',
    tag: 'Files',
    security: keySchemes,
    summary: 'Read a directory as an archive',
    description:
      'The archive contains directories and regular files. It leaves out links and all other kinds of files.',
    params: sessionPath,
    query: archiveQuery,
    answers: { 200: archive },
    problems: fileProblems,
  },
  {
    method: 'put',
    path: '/v1/sessions/{sessionId}/archive',
    operationId: 'writeArchive',
    tag: 'Files',
    security: keySchemes,
    summary: 'Unpack an archive into a directory',
    description:
      'The whole archive is checked before the first file is written, and each file is replaced atomically. An archive is rejected if it ' +
      'has links, devices, absolute names, names with `..` or duplicate names, or if it is too large when unpacked. Existing files that ' +
      'are not in the archive stay.',
    params: sessionPath,
    query: archiveQuery,
    upload: contentTypes,
    answers: { 200: json('The archive was unpacked', unpackedArchiveSchema, { files: 2, bytes: 4096, omissions: {} }) },
    problems: [
      ...fileProblems,
      'policy-denied',
      'proposal-conflict',
      'archive-refused',
      'body-too-large',
      'unsupported-media-type',
      'workspace-full',
      'world-unsettled',
    ],
  },
];
