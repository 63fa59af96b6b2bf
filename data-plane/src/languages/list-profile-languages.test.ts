import { expect, test } from 'vitest';
import { listProfileLanguages } from './list-profile-languages.ts';

const profiles = [
  { name: 'small', languages: ['python', 'bun'] },
  { name: 'large', languages: ['python', 'ir'] },
];
const runtime = { capabilities: { networks: [], profiles, warmPools: [], sandboxesEndWithDataPlane: false } };

test('describes the languages of the first profile, or of the one that is named', async () => {
  const python = { name: 'python', kernel: 'built-in', runsJobs: true, listsSymbols: true, takesStepEnv: true };
  const none = { runsJobs: false, listsSymbols: false, takesStepEnv: false };
  expect(await listProfileLanguages({ runtime }, { profile: undefined })).toEqual({
    profile: 'small',
    languages: [python, { ...none, name: 'bun', kernel: null, runsJobs: true }],
  });
  expect(await listProfileLanguages({ runtime }, { profile: 'large' })).toEqual({
    profile: 'large',
    languages: [python, { ...none, name: 'ir', kernel: 'jupyter' }],
  });
});

test('a profile that does not exist is not found, and the answer names those that do', async () => {
  await expect(listProfileLanguages({ runtime }, { profile: 'huge' })).rejects.toMatchObject({
    slug: 'not-found',
    message: expect.stringContaining('small, large'),
  });
});
