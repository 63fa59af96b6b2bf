import { expect, test } from 'vitest';
import { Holdfast } from './holdfast.ts';

test.each(['localhost:8080', 'example.com', ''])('refuses the address %j, which fetch would not find', (url) => {
  expect(() => new Holdfast({ url })).toThrow(/http:\/\/ or https:\/\//);
});
