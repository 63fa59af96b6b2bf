import { readName } from './code-cursor.js';
import { describeValue } from './describe-value.js';

const sourceLinesMax = 100;
const charactersMax = 65_536;
const documentation =
  /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*(?:(?:export|default|const|let|var|static|async|[\p{ID_Continue}$]+\s*=)\s*)*$/u;
const functionText = Function.prototype.toString;

/** Describes the name at the cursor: `{found, data}`, with source and documentation if a step has defined it. */
export function inspectAt({ scope, sources }, { code, cursor }) {
  try {
    const path = readName(code, cursor);
    const known = path && scope.find(path);
    if (!known) return { found: false, data: {} };
    const text = describe(sources, path.join('.'), known.value).slice(0, charactersMax).toWellFormed();
    return { found: true, data: { 'text/plain': text } };
  } catch {
    return { found: false, data: {} };
  }
}

function describe(sources, name, value) {
  const { kind, type, preview, size } = describeValue(value);
  if (typeof value !== 'function') return `${name}: ${type}${size === null ? '' : ` (${size})`}\n${preview}`;
  const text = Reflect.apply(functionText, value, []);
  const place = sources.before(text);
  const comment = place && documentation.exec(place.before)?.[0].replace(/\*\/[\s\S]*$/, '*/');
  const lines = [`${name}: ${kind}${place ? ` of ${place.filename}` : ''}`, ...(comment ? [comment] : [])];
  return [...lines, ...text.split('\n').slice(0, sourceLinesMax)].join('\n');
}
