import { extname } from 'node:path';
import { type JobLanguage, jobFilenames } from '@holdfast/specs/public';

/** The name of a program that nobody named, in a session that others use too: it takes nobody's place and goes with its job. Pure. */
export const ownFilename = (jobId: string, language: JobLanguage): string =>
  `${jobId}${extname(jobFilenames[language])}`;

/** Whether the job's program has such a name. Pure. */
export const hasOwnFilename = (jobId: string, filename: string): boolean => filename.startsWith(`${jobId}.`);
