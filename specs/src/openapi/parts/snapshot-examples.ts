import { sessionId } from './examples.ts';

const state = {
  id: 'snp_01kaf41h2j3k4m5n6p7q8r9s0t',
  language: 'python',
  interpreter: 'Python 3.13.5',
  size: 1234,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  createdAt: '2026-01-15T10:03:00.000Z',
};
const lists = {
  saved: [{ name: 'x', kind: 'variable' }],
  notSaved: [{ name: 'connection', reason: 'a socket cannot be saved' }],
  omitted: 0,
  files: { count: 3, bytes: 4096, notSaved: [] },
};

export const snapshot = { ...state, ...lists, sessionId, contextId: 'python', origin: 'request' };
export const listedSnapshot = { ...state, name: 'with-data', bytes: 5330 };
export const namedSnapshot = { ...listedSnapshot, ...lists };
