import { type BuiltInLanguage, builtInLanguages, type Language } from '@holdfast/specs/public';
import type { KernelConfig } from '../kernel-config.ts';
import { listKernelspecs } from '../kernelspecs/list-kernelspecs.ts';
import { findProgram } from './find-program.ts';

const languagesMax = 1000;

/** The languages that contexts of this sandbox can have. Read anew each time, because code in it may install further ones. */
export function listLanguages(config: KernelConfig): Language[] {
  const own = builtInLanguages.filter((language) => isInstalled(config, language));
  return [...own, ...listKernelspecs(config).keys()].slice(0, languagesMax);
}

function isInstalled({ hasPython = false, path }: KernelConfig, language: BuiltInLanguage): boolean {
  if (language === 'node') return true;
  if (language === 'python') return hasPython;
  try {
    findProgram(path, language);
    return true;
  } catch {
    return false;
  }
}
