import type { z } from 'zod';
import {
  languagesQuerySchema,
  type offeredLanguageSchema,
  profileLanguagesSchema,
  sessionLanguagesSchema,
} from '../../public/offered-languages.ts';
import { json } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Contexts';
const security = keySchemes;

const python: z.infer<typeof offeredLanguageSchema> = {
  name: 'python',
  kernel: 'built-in',
  runsJobs: true,
  listsSymbols: true,
  takesStepEnv: true,
};
const r: typeof python = { name: 'ir', kernel: 'jupyter', runsJobs: false, listsSymbols: false, takesStepEnv: false };

/** The languages that sessions can have. */
export const languageOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/languages',
    operationId: 'listLanguages',
    tag,
    security,
    summary: 'List the languages of a profile',
    description:
      'Besides the built-in languages, each Jupyter kernel in the image is a language. Its name is the name of its kernelspec, such as `ir`; the name of its programming language, such as `r`, works too. In profiles with an image, the operator lists them.',
    query: languagesQuerySchema,
    answers: { 200: json('The languages', profileLanguagesSchema, { profile: 'default', languages: [python, r] }) },
    problems: ['forbidden', 'not-found', 'database-unavailable'],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/languages',
    operationId: 'listSessionLanguages',
    tag,
    security,
    summary: 'List the languages of a session',
    description:
      'The languages that a new context can have, as the sandbox finds them now: code can install further Jupyter kernels.',
    params: sessionPath,
    answers: { 200: json('The languages', sessionLanguagesSchema, { languages: [python, r] }) },
    problems: [
      'forbidden',
      'not-found',
      'session-ended',
      'sandbox-failed',
      'sandbox-unreachable',
      'session-starting',
      'session-not-active',
      'session-paused',
      'database-unavailable',
    ],
  },
];
