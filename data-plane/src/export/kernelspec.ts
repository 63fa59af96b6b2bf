import type { Language } from '@holdfast/specs/public';

const known: Record<string, { name: string; display_name: string; language: string }> = {
  python: { name: 'python3', display_name: 'Python 3', language: 'python' },
  node: { name: 'javascript', display_name: 'JavaScript (Node.js)', language: 'javascript' },
  bash: { name: 'bash', display_name: 'Bash', language: 'bash' },
  ruby: { name: 'ruby', display_name: 'Ruby', language: 'ruby' },
};

/** The Jupyter kernel that runs a language; any other language is the name of its own kernel. Pure. */
export const kernelspecOf = (language: Language) =>
  known[language] ?? { name: language, display_name: language, language };
