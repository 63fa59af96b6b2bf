import { expect, test } from 'vitest';
import { negotiate } from './negotiate.ts';

const offered = ['application/json', 'text/event-stream', 'application/x-ndjson'] as const;

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/html', 'application/json'],
  ['text/event-stream', 'text/event-stream'],
  ['Text/Event-Stream; charset=utf-8', 'text/event-stream'],
  ['text/event-stream, */*', 'text/event-stream'],
  ['application/json, text/event-stream', 'application/json'],
  ['application/json;q=0.5, application/x-ndjson;q=0.8', 'application/x-ndjson'],
  ['text/*;q=0.9, application/json;q=0.4', 'text/event-stream'],
  ['*/*, application/json;q=0', 'text/event-stream'],
  ['application/json;q=0', 'application/json'],
  ['text/event-stream;q=nonsense', 'application/json'],
  ['application/*', 'application/json'],
])('Accept: %s is answered with %s', (accept, expected) => {
  expect(negotiate(accept, offered)).toBe(expected);
});
