import { expect } from 'vitest';
import type { client } from '../data-plane/test/support/start-holdfast.ts';
import type { Job, JobLanguage } from '../specs/src/public/index.ts';

type Holdfast = Pick<ReturnType<typeof client>, 'request' | 'createSession' | 'runStep'> & { url: string };

/** Each program sorts its input file into `sorted.txt`, prints its stdin, and exits with 3. */
const programs: Record<JobLanguage, string> = {
  python: `import sys
open('sorted.txt', 'w').writelines(sorted(open('lines.txt')))
print(sys.stdin.read()); sys.exit(3)`,
  node: `import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync('sorted.txt', readFileSync('lines.txt', 'utf8').trimEnd().split('\\n').sort().join('\\n') + '\\n');
console.log(readFileSync(0, 'utf8')); process.exit(3);`,
  bun: `const lines: string[] = (await Bun.file('lines.txt').text()).trimEnd().split('\\n');
await Bun.write('sorted.txt', lines.sort().join('\\n') + '\\n');
console.log(await Bun.stdin.text()); process.exit(3);`,
  bash: 'sort lines.txt > sorted.txt; cat; echo; exit 3',
};

export const jobLanguages = Object.keys(programs) as JobLanguage[];

/** Runs a job in a session of its own, and expects its files to be readable until that session is deleted. */
export async function expectJob(holdfast: Holdfast, language: JobLanguage): Promise<void> {
  const request = { language, code: programs[language], stdin: 'said', files: { 'lines.txt': 'b\na\n' } };
  const answer = await holdfast.request('POST', '/v1/run?inline=true&signedSeconds=600', request);
  expect(answer.body).toMatchObject({ exitCode: 3, signal: null, timedOut: false, stdout: 'said\n', stderr: '' });
  const { sessionId, artifacts } = answer.body as Job;
  const url = `${holdfast.url}${artifacts.outputs['sorted.txt']}`;
  expect(await read(url)).toEqual([200, 'a\nb\n']);
  await holdfast.request('DELETE', `/v1/sessions/${sessionId}`);
  expect((await read(url))[0]).toBe(410);
}

/** Expects a file that a session has changed to be readable after the sandbox is gone. */
export async function expectFilesToOutliveSandbox(holdfast: Holdfast): Promise<void> {
  const { id } = await holdfast.createSession({ files: { 'in/data.csv': 'a,b\n' } });
  const { artifacts } = await holdfast.runStep(id, { code: "_ = open('/mnt/data/in/data.csv', 'a').write('1,2\\n')" });
  expect(artifacts).toMatchObject([{ path: 'in/data.csv', change: 'modified', size: 8, omission: null }]);
  await holdfast.request('POST', `/v1/sessions/${id}/complete`);
  const listed = await holdfast.request('GET', `/v1/sessions/${id}/artifacts?signedSeconds=600`);
  expect(await read(`${holdfast.url}${listed.body.items[0].url}`)).toEqual([200, 'a,b\n1,2\n']);
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
}

async function read(url: string): Promise<[number, string]> {
  const response = await fetch(url);
  return [response.status, await response.text()];
}
