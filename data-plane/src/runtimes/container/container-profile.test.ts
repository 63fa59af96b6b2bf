import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultProfiles, parseContainerProfiles } from './container-profile.ts';

const least = { name: 'python', image: 'python:1', languages: ['python'] };
const parse = (profile: object) => parseContainerProfiles(JSON.stringify({ profiles: [profile] }))[0];

test('by default a sandbox has half a core, 512 MiB and 128 processes', () => {
  expect(parse(least)).toEqual({
    ...least,
    imagePullPolicy: 'IfNotPresent',
    resources: { limits: { cpu: 0.5, memory: 512 * 2 ** 20 } },
    workspaceSizeLimit: 256 * 2 ** 20,
    tmpSizeLimit: 128 * 2 ** 20,
    processesMax: 128,
    runtimeClassName: null,
    env: {},
    fileRoots: ['/tmp'],
    workspacePath: '/workspace',
    home: '/tmp',
    user: null,
    warm: { none: 0, internet: 0 },
  });
});

test('profiles have the same form as those for Kubernetes, and amounts mean the same', () => {
  const limits = { cpu: 2, memory: '1.5Gi', 'ephemeral-storage': '2Gi' };
  const resources = { requests: { cpu: '100m' }, limits };
  const profile = parse({ ...least, resources, workspaceSizeLimit: '1Gi', runtimeClassName: 'runsc' });
  expect(profile?.resources.limits).toMatchObject({ cpu: 2, memory: 1.5 * 2 ** 30 });
  expect(profile).toMatchObject({ workspaceSizeLimit: 2 ** 30, runtimeClassName: 'runsc' });
});

test.each([
  [{ nodeSelector: { disk: 'ssd' } }, '/profiles/0/nodeSelector is not a field of this'],
  [{ resources: { limits: { memory: '1Mi' } } }, '/profiles/0/resources/limits/memory must be at least'],
  [{ resources: { limits: { 'nvidia.com/gpu': 1 } } }, '/profiles/0/resources/limits/nvidia.com/gpu is not a field'],
  [{ env: { HOLDFAST_SANDBOX_UID: 'x' } }, '/profiles/0/env/HOLDFAST_SANDBOX_UID'],
  [{ env: { 'not a name': 'x' } }, '/profiles/0/env/not a name'],
  [{ image: '--privileged' }, '/profiles/0/image must be the reference of an image'],
])('rejects %j, which would be ignored or do harm', (fields, fault) => {
  expect(() => parse({ ...least, ...fields })).toThrow(fault);
});

test('the default profiles are those of the compose file: the images of the repository', async () => {
  const path = join(import.meta.dirname, '../../../../deploy/compose-profiles.json');
  expect(defaultProfiles()).toEqual(parseContainerProfiles(await readFile(path, 'utf8')));
  expect(defaultProfiles().map(({ name }) => name)).toEqual(['python', 'node']);
});
