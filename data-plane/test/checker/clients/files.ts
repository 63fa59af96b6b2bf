import { sha256 } from '../../support/files-client.ts';
import type { Random } from '../random.ts';
import type { Api } from './api.ts';
import type { Answer } from './ledger.ts';

export type FileInput = { api: Api; random: Random; sessionId: string; newMark(): string };

type Racing = { racing?: boolean };

/** A file and a file below its path, written at the same time: a tree can hold only one of the two. */
export async function nestedPuts(input: FileInput): Promise<void> {
  const directory = `nested-${input.newMark()}`;
  const racing = { racing: true };
  await Promise.all([put(input, directory, racing), put(input, `${directory}/file`, racing)]);
  if (input.random.chance(0.5)) await put(input, `${directory}/file`, racing);
}

/** A move onto a path that is written at the same time. */
export async function moveAgainstPut(input: FileInput): Promise<void> {
  const [from, to] = [`from-${input.newMark()}`, `to-${input.newMark()}`];
  const racing = { racing: true };
  await put(input, from, racing);
  await Promise.all([move(input, from, to, racing), put(input, to, racing)]);
}

/** Changes to one path, one after the other, so that the last acknowledged one is the truth. */
export async function filesInTurn(input: FileInput): Promise<void> {
  const { random } = input;
  const [first, second] = [`file-${input.newMark()}`, `file-${input.newMark()}`];
  await put(input, first);
  await put(input, first);
  if (random.chance(0.4)) await move(input, first, second);
  else if (random.chance(0.3)) await remove(input, first);
}

const base = ({ sessionId, random }: FileInput, { racing = false }: Racing) => ({
  ...{ sessionId, racing },
  replica: random.below(100),
});

async function put(input: FileInput, path: string, racing: Racing = {}): Promise<Answer> {
  const { api, sessionId } = input;
  const text = `content ${input.newMark()}`;
  return await api.request({
    ask: { what: 'put', path, sha256: sha256(text), ...base(input, racing) },
    method: 'PUT',
    path: `/v1/sessions/${sessionId}/files/${path}`,
    body: text,
  });
}

async function remove(input: FileInput, path: string, racing: Racing = {}): Promise<Answer> {
  const { api, sessionId } = input;
  return await api.request({
    ask: { what: 'remove', path, ...base(input, racing) },
    method: 'DELETE',
    path: `/v1/sessions/${sessionId}/files/${path}`,
  });
}

async function move(input: FileInput, path: string, to: string, racing: Racing = {}): Promise<Answer> {
  const { api, sessionId } = input;
  return await api.request({
    ask: { what: 'move', path, to, ...base(input, racing) },
    method: 'POST',
    path: `/v1/sessions/${sessionId}/move`,
    body: { from: path, to, overwrite: true },
  });
}
