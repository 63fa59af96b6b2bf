/** One sentence or phrase that a person reads. */
export type Prose = { path: string; line: number; kind: 'comment' | 'test title' | 'public text'; text: string };

type Rule = { name: string; pattern: RegExp };

const placeOrQuestion =
  'place|places|folder|folders|directory|files|position|offset|point|line|spot|page|machine|host|node|cluster|from|of|about|know|knows|known|say|says|tell|tells|see|sees|find|finds|show|shows|decide|decides|exactly|and|or|matter';

/** The forms that read as translated; each has a plainer way to be said. */
const rules: readonly Rule[] = [
  {
    name: 'begins with what, where, of, who',
    pattern: /(?:^|[.;:!] )(?:What|Where|Of|Who|Whose|Whoever|Whatever)\b(?![^.;]*\?)/,
  },
  { name: 'where for if', pattern: new RegExp(`(?<!\\b(?:${placeOrQuestion}) )\\bwhere\\b(?! to\\b)`) },
  { name: 'whoever, nobody, somebody', pattern: /\b(?:whoever|nobody|somebody|everybody)\b/i },
  {
    name: 'is no …',
    pattern:
      /\b(?:is|are|was|were) no (?!longer\b|more\b|need\b|such\b|way\b|other\b|less\b|use\b|reason\b|point\b|room\b|\w+er\b)\w+/,
  },
];

/** Titles begin with a small letter, so the first rule has a form for them alone. */
const titleRule: Rule = {
  name: 'begins with what, where, of, who',
  pattern: /^(?:what|where|of|who|whose|whoever|whatever)\b/i,
};

/** The rules that the text breaks, by name. */
export function faultsOf({ kind, text }: Pick<Prose, 'kind' | 'text'>): string[] {
  const applied = kind === 'test title' ? [titleRule, ...rules.slice(1)] : rules;
  return applied.filter(({ pattern }) => pattern.test(withoutCode(text))).map(({ name }) => name);
}

/** Code in backticks is quoted, not said. */
const withoutCode = (text: string) => text.replace(/`[^`]*`/g, '``');

/** The texts of a file that people read: comments, test titles, and texts for users of the product. */
export function proseIn(path: string, content: string): Prose[] {
  if (/\.json$/.test(path)) return jsonProse(path, content);
  if (/\.md$/.test(path)) return paragraphs(path, content);
  const isScript = /\.(?:py|rb|bash|sh)$/.test(path) || !/\.[a-z]+$/.test(path);
  const found = isScript ? hashComments(path, content) : slashComments(path, content);
  if (/\.test\.ts$|\/test\/.*\.ts$/.test(path)) found.push(...titles(path, content));
  if (/\/src\/.*\.ts$/.test(path) && !/\.test\.ts$/.test(path)) found.push(...publicTexts(path, content));
  return found;
}

/** Whether people read the file. Left out are generated files, and programs and answers that stand in for users' own. */
export function isProse(path: string): boolean {
  if (
    /golden\/|corpus\/|clients\/.*\/generated\/|migrations\/|pnpm-lock|deploy\/helm\/.*templates|checks\/(?:plain-english|text\.test)/.test(
      path,
    )
  )
    return false;
  return /\.(?:ts|js|py|rb|bash|sh|md)$|specs\/openapi\/.*\.json$|Containerfile$/.test(path);
}

const lineAt = (content: string, index: number) => content.slice(0, index).split('\n').length;

function slashComments(path: string, content: string): Prose[] {
  const blocks = [...content.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map((match) => ({
    line: lineAt(content, match.index),
    text: (match[1] ?? '').replace(/^\s*\* ?/gm, ' '),
  }));
  const lines = [...content.matchAll(/(?:^|[;{}),\s])((?:[ \t]*\/\/ .*\n)+)/gm)].map((match) => ({
    line: lineAt(content, match.index + match[0].indexOf('//')),
    text: (match[1] ?? '').replace(/^[ \t]*\/\/ ?/gm, ' '),
  }));
  return [...blocks, ...lines].map(({ line, text }) => ({ path, line, kind: 'comment', text: flat(text) }));
}

function hashComments(path: string, content: string): Prose[] {
  const comments = [...content.matchAll(/(?:^|\s)((?:[ \t]*# .*\n?)+)/gm)].map((match) => ({
    line: lineAt(content, match.index + match[0].indexOf('#')),
    text: (match[1] ?? '').replace(/^[ \t]*# ?/gm, ' '),
  }));
  const docstrings = [...content.matchAll(/"""([\s\S]*?)"""/g)].map((match) => ({
    line: lineAt(content, match.index),
    text: match[1] ?? '',
  }));
  return [...comments, ...docstrings].map(({ line, text }) => ({ path, line, kind: 'comment', text: flat(text) }));
}

function titles(path: string, content: string): Prose[] {
  const called = /\b(?:test|describe|it)(?:\.\w+)*\(\s*(?:'((?:[^'\\]|\\.)+)'|`([^`]+)`|"([^"]+)")/g;
  const each = /^\s*\]\)\(\s*(?:'((?:[^'\\]|\\.)+)'|`([^`]+)`|"([^"]+)")/gm;
  return [...content.matchAll(called), ...content.matchAll(each)].map((match) => ({
    path,
    line: lineAt(content, match.index),
    kind: 'test title',
    text: flat(match[1] ?? match[2] ?? match[3] ?? ''),
  }));
}

/** The details of problems, the messages of errors and logs, and the descriptions of schemas. */
function publicTexts(path: string, content: string): Prose[] {
  const strings =
    /(?:detail|title|description|summary|message): ?\(?\s*[`'"]((?:[^`'"\\]|\\.)+)[`'"]|\.(?:describe|error|warn|info)\((?:\{[^}]*\},)?\s*[`'"]((?:[^`'"\\]|\\.)+)[`'"]|new Error\(\s*[`'"]((?:[^`'"\\]|\\.)+)[`'"]/g;
  return [...content.matchAll(strings)].map((match) => ({
    path,
    line: lineAt(content, match.index),
    kind: 'public text',
    text: flat(match[1] ?? match[2] ?? match[3] ?? ''),
  }));
}

function jsonProse(path: string, content: string): Prose[] {
  return [...content.matchAll(/"(?:description|summary|title)": "((?:[^"\\]|\\.)+)"/g)].map((match) => ({
    path,
    line: lineAt(content, match.index),
    kind: 'public text',
    text: flat(match[1] ?? ''),
  }));
}

function paragraphs(path: string, content: string): Prose[] {
  const prose = content.replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''));
  return [...prose.matchAll(/[^\n]+(?:\n(?![ \t]*(?:[-*|#]|\d+\.|\n))[^\n]+)*/g)].map((match) => ({
    path,
    line: lineAt(prose, match.index),
    kind: 'public text',
    text: flat((match[0] ?? '').replace(/^[\s>#*|-]+/, '')),
  }));
}

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
