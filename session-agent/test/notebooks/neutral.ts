import { createHash } from 'node:crypto';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
const colours = /\u001b\[[\d;]*m/g;

/**
 * Removes addresses, names of cells and folders, identifiers drawn by chance, times and durations, what `%timeit` says of a busy machine, and what only
 * a terminal needs: colours, and its line ends, which the output of shell commands has in a stock kernel.
 */
export function neutralText(text: string, folder: string): string {
  return text
    .replaceAll(folder, '<folder>')
    .replaceAll('\r\n', '\n')
    .replace(colours, '')
    .replace(/\/tmp\/ipykernel_\d+\/\d+\.py|<step \d+>|\b\d+\.py(?=, line)/g, '<cell>')
    .replace(/0x[0-9a-f]{6,}/gi, '0x…')
    .replace(/\b\d\d:\d\d:\d\d\b|\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d\b/g, '<time>')
    .replace(/(?<=\bT_)[0-9a-f]{5}(?![0-9a-f])/g, '<id>')
    .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+/g, '<time>')
    .replace(/\b[a-z][0-9a-f]{10}\b|\b[a-z]?[0-9a-f]{32}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>')
    .replace(/\b[\d.]+(e[+-]\d+)? ?(ns|[uµμ]s|ms|s|min)\b/g, '<duration>')
    .replace(/The slowest run took .* times longer.*\n|(?<=of \d+ runs?, )[\d,]+ loops?/g, '');
}

/** The text of a bundle by type. Pictures and sounds are digests. */
export function neutralData(data: Record<string, unknown>, folder: string): Record<string, string> {
  const types = Object.entries(data).sort(([one], [other]) => one.localeCompare(other));
  return Object.fromEntries(types.map(([type, value]) => [type, content(type, value, folder)]));
}

function content(type: string, value: unknown, folder: string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!/^(image\/(?!svg)|application\/pdf|audio\/|video\/)/.test(type)) return neutralText(text, folder);
  return `sha256 ${createHash('sha256').update(text.replace(/\s/g, '')).digest('hex')}`;
}
