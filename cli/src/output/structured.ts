/** The control characters that JSON leaves as they are. Names and code come from sandboxes, and the reader may be a terminal. */
const controls = /[\u007f-\u009f]|\p{Bidi_Control}/gu;

const escaped = (text: string) =>
  text.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** JSON in one line, or with this many spaces for each level. */
export const jsonOf = (value: unknown, indent?: number): string => escaped(JSON.stringify(value, null, indent));

/** A document of YAML with the end of its last line. */
export async function yamlOf(value: unknown): Promise<string> {
  const { Document, visit } = await import('../yaml.ts');
  const document = new Document(value);
  visit(document, {
    Scalar(_, node) {
      // Only between such quotes a character can be written by its number.
      if (typeof node.value === 'string' && isUnsafe(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString());
}

const isUnsafe = (text: string) => /[^\P{Cc}\n\t]|\p{Bidi_Control}/u.test(text);
