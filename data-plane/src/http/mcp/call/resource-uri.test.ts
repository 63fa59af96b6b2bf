import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import { expect, test } from 'vitest';
import { artifactUri, fileUri, outputUri, parseResourceUri, uriTemplates } from './resource-uri.ts';

const id = '01kaf3xq5t7e8m9n0p1r2s3t4v';
const sessionId = `ses_${id}`;
const root = `holdfast://sessions/${sessionId}`;

test('a URI that was made is read as the same thing', () => {
  const artifact = { sessionId, artifactId: `art_${id}` };
  expect(parseResourceUri(artifactUri(artifact))).toEqual({ kind: 'artifact', ...artifact });
  const output = { sessionId, stepId: `stp_${id}`, stream: 'stderr', offset: 7 } as const;
  expect(parseResourceUri(outputUri(output))).toEqual({ kind: 'output', ...output });
  expect(parseResourceUri(outputUri({ ...output, offset: 0 }))).toEqual({ kind: 'output', ...output, offset: 0 });
  for (const path of ['a b/ü?.txt', '/tmp/x%2f', 'a.csv']) {
    expect(parseResourceUri(fileUri({ sessionId, path }))).toEqual({ kind: 'file', sessionId, path });
  }
});

test('a URI that a client makes of a template names the file that it meant', () => {
  const { uriTemplate } = uriTemplates.find(({ name }) => name === 'file') as { uriTemplate: string };
  for (const path of ['a%41', 'dir/a b?#.txt']) {
    const uri = new UriTemplate(uriTemplate).expand({ sessionId, path });
    expect(parseResourceUri(uri)).toEqual({ kind: 'file', sessionId, path });
  }
});

test.each([
  'http://sessions',
  root,
  `${root}/artifacts/x`,
  `${root}/files/`,
  `${root}/files/../x`,
  `${root}/files/%2e%2e/x`,
  `${root}/files/%`,
  `${root}/steps/stp_${id}/stdin`,
  `${root}/steps/x/stdout`,
  `${root}/steps/stp_${id}/stdout?offset=-1`,
  `holdfast://sessions/other/files/a`,
])('%s names nothing', (uri) => {
  expect(parseResourceUri(uri)).toBeNull();
});
