import { expect, test } from 'vitest';
import { parsePodProfiles } from './pod-profile.ts';

const least = { name: 'python', image: 'python:1', languages: ['python'] };
const parse = (...profiles: object[]) => parsePodProfiles(JSON.stringify({ profiles }));

function faults(...profiles: object[]): string[] {
  try {
    parse(...profiles);
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  return [];
}

test('a profile needs a name, an image and languages; every other field has a default', () => {
  expect(parse(least)).toEqual([
    {
      ...least,
      imagePullPolicy: 'IfNotPresent',
      resources: {
        requests: { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
        limits: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '2Gi' },
      },
      workspaceSizeLimit: '1Gi',
      tmpSizeLimit: '256Mi',
      env: {},
      fileRoots: ['/tmp'],
      workspacePath: '/workspace',
      home: '/tmp',
      user: null,
      processesMax: 128,
      runtimeClassName: null,
      nodeSelector: {},
      tolerations: [],
      priorityClassName: null,
      imagePullSecrets: [],
      labels: {},
      annotations: {},
      warm: { none: 0, internet: 0 },
    },
  ]);
  const names = faults({}).map((fault) => fault.split(' ')[0]);
  expect(names).toEqual(['/profiles/0/name', '/profiles/0/image', '/profiles/0/languages']);
});

test('reports all faults at once, each with its pointer', () => {
  const bad = { ...least, name: 'Python', processesMax: 0, securityContext: {}, warm: { none: -1, all: 1 } };
  expect(faults(least, bad).map((fault) => fault.split(' ')[0])).toEqual([
    '/profiles/1/name',
    '/profiles/1/processesMax',
    '/profiles/1/warm/none',
    '/profiles/1/warm/all',
    '/profiles/1/securityContext',
  ]);
});

test('rejects two profiles with the same name', () => {
  expect(faults(least, least)).toEqual(['/profiles/1/name repeats "python"']);
});

test('rejects a file without profiles, and one that is not JSON', () => {
  expect(() => parsePodProfiles('{"profiles": []}')).toThrow('/profiles');
  expect(() => parsePodProfiles('profiles:\n- name: python')).toThrow('is not JSON');
});

test.each(['holdfast.dev/network', 'holdfast.dev/anything', 'app.kubernetes.io/name', 'app.kubernetes.io/managed-by'])(
  'rejects the label %s, and an annotation with that name',
  (name) => {
    expect(faults({ ...least, labels: { [name]: 'internet' } })).toHaveLength(1);
    expect(faults({ ...least, annotations: { [name]: 'internet' } })).toHaveLength(1);
  },
);

test.each([
  { name: 'python\n  hostNetwork: true' },
  { name: '-python' },
  { name: 'a'.repeat(64) },
  { image: 'python:1", "privileged": "true' },
  { image: '--privileged' },
  { image: 'python 1' },
  { runtimeClassName: '../gvisor' },
  { nodeSelector: { 'a=b,c': 'd' } },
  { nodeSelector: { pool: 'a b' } },
  { labels: { 'example.com/team': 'a,b=c' } },
  { labels: { 'example.com/team': 'a'.repeat(64) } },
  { annotations: { 'a b': '' } },
  { tolerations: [{ key: 'a', operator: 'Anything' }] },
  { imagePullSecrets: ['registry'] },
  { resources: { limits: { memory: '1 GB' } } },
  { resources: { limits: { memory: '-1Gi' } } },
  { workspaceSizeLimit: '' },
  { languages: [] },
  { languages: ['no name'] },
])('rejects %o', (field) => {
  expect(faults({ ...least, ...field })).toHaveLength(1);
});

test.each(['/', '/proc', '/proc/self', '/dev/shm', '/sys', '/mnt/data', 'tmp', '/tmp/', '/tmp/..', '//tmp'])(
  'rejects %s as a root of files and as the place of the workspace',
  (path) => {
    const rejected = faults(
      { ...least, fileRoots: ['/tmp', path] },
      { ...least, name: 'b', workspacePath: path, home: path },
    );
    expect(rejected.map((fault) => fault.split(' ')[0])).toEqual(
      expect.arrayContaining(['/profiles/0/fileRoots/1', '/profiles/1/workspacePath']),
    );
  },
);

test('accepts a workspace in the home directory of a user with a name', () => {
  const like = { workspacePath: '/home/user', home: '/home/user', user: 'user' };
  expect(parse({ ...least, ...like })).toMatchObject([like]);
});

test.each([
  ['a root that is the workspace', 'fileRoots', { fileRoots: ['/workspace'] }],
  ['a root in the workspace', 'fileRoots', { workspacePath: '/home/user', fileRoots: ['/home/user/x'] }],
  ['a root that holds the workspace', 'fileRoots', { workspacePath: '/home/user', fileRoots: ['/home'] }],
  ['a workspace in /tmp', 'workspacePath', { workspacePath: '/tmp/work', fileRoots: [] }],
  ['a workspace that a search path cannot name', 'workspacePath', { workspacePath: '/srv/a:b' }],
  ['a home directory that nothing can write to', 'home', { home: '/home/user' }],
  ['a name that no user can have', 'user', { user: 'a user' }],
  ['the name of root', 'user', { user: 'root' }],
])('rejects %s', (_, field, given) => {
  expect(faults({ ...least, ...given }).map((fault) => fault.split(' ')[0])).toEqual([`/profiles/0/${field}`]);
});
