import { unpackedArchiveSchema } from '../../public/file.ts';
import { json } from '../parts/answers.ts';
import type { Answer, Operation } from '../parts/operation.ts';
import { archiveQuery, sessionPath } from '../parts/parameters.ts';
import { keySchemes } from '../parts/security.ts';
import { fileProblems } from './file-operations.ts';

const contentTypes = ['application/x-tar', 'application/zip'] as const;
const binary = { schema: { type: 'string', format: 'binary' } } as const;
const archive: Answer = {
  description: 'The archive as it comes; cut off where a file becomes shorter meanwhile',
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
    description: 'Its directories and regular files; links and all else are left out.',
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
      'All of it is looked at before the first file takes its place, and each takes it at once. Links, devices, names that are absolute or ' +
      'lead upwards, duplicates and bombs are refused. Files that were there and are not in the archive stay.',
    params: sessionPath,
    query: archiveQuery,
    upload: contentTypes,
    answers: { 200: json('Unpacked', unpackedArchiveSchema, { files: 2, bytes: 4096, omissions: {} }) },
    problems: [...fileProblems, 'archive-refused', 'body-too-large', 'unsupported-media-type', 'workspace-full'],
  },
];
