import { isBuiltIn, jobLanguageSchema, languageSchema, type OfferedLanguage } from '@holdfast/specs/public';

/** Describes a language by the program that runs its steps, from which everything else follows. Pure. */
export function describeLanguage(name: string): OfferedLanguage {
  const builtIn = isBuiltIn(name);
  const isJupyter = !builtIn && languageSchema.safeParse(name).success;
  return {
    name,
    kernel: builtIn ? 'built-in' : isJupyter ? 'jupyter' : null,
    runsJobs: jobLanguageSchema.safeParse(name).success,
    listsSymbols: builtIn,
    takesStepEnv: builtIn,
  };
}
