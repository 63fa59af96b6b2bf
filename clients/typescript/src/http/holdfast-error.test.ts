import { expect, test } from 'vitest';
import { errorOfProblem } from './holdfast-error.ts';

test('the message of a request that is not valid names its faults, and not only their number', () => {
  const errors = Array.from({ length: 7 }, (_, i) => ({ pointer: `/code/${i}`, detail: 'must be a text' }));
  const problem = {
    code: 'invalid-request',
    title: 'The request is not valid',
    status: 400,
    detail: '7 faults',
    errors,
  };
  expect(errorOfProblem({ ...problem, errors: errors.slice(0, 1) }).message).toBe(
    'The request is not valid: /code/0 must be a text',
  );
  expect(errorOfProblem(problem).message).toMatch(/\/code\/4 must be a text; and 2 more$/);
});
