import { expect, test } from 'vitest';
import { Holdfast } from './holdfast.ts';

test.each(['localhost:8080', 'example.com', ''])('refuses the address %j, which fetch would not find', (url) => {
  expect(() => new Holdfast({ url })).toThrow(/http:\/\/ or https:\/\//);
});

test.each(['http://name:s3cret@server.test', 'http://s3cret@server.test', 'http://s3cret:99999'])(
  'refuses the address %j without a word of it',
  (url) => {
    expect(() => new Holdfast({ url })).toThrow(TypeError);
    expect(() => new Holdfast({ url })).not.toThrow('s3cret');
  },
);

test.each(['hf_s3cret\nabc', 'hf_s3cret\u00e9', 'hf_s3cret x'])('refuses the key %j without a word of it', (apiKey) => {
  expect(() => new Holdfast({ apiKey })).toThrow('the API key has a character');
  expect(() => new Holdfast({ apiKey })).not.toThrow('s3cret');
});

test('leaves out the line break behind a key', async () => {
  const seen: (string | null)[] = [];
  const fetch = async ({ headers }: Request) => {
    seen.push(headers.get('Authorization'));
    return Response.json({ id: 'ses_1' });
  };
  await new Holdfast({ url: 'http://server.test', apiKey: 'hf_key\r\n', fetch }).sessions.get('ses_1');
  expect(seen).toEqual(['Bearer hf_key']);
});
