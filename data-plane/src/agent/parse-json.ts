/** Values are nested no deeper, since `JSON.stringify` and others go down by recursion. */
const depthMax = 200;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/** The share of each in the time that parsing and writing take: a key of an object that no other has costs the most by far. */
const commaWeight = 1;
const openingWeight = 2;
const keyWeight = 20;

/**
 * How long a JSON text takes to parse and to write again, beside the time for its bytes: roughly 70 ns for each unit at the worst.
 * Counts the structure outside of strings, at about 4 ms per MiB. Infinite if the values are nested too deep. Pure.
 */
export function jsonWeight(json: Uint8Array): number {
  let weight = 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (inString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) weight += commaWeight;
    else if (byte === colon) weight += keyWeight;
    else if (isOpening(byte)) {
      weight += openingWeight;
      depth += 1;
      if (depth > depthMax) return Number.POSITIVE_INFINITY;
    } else if (isClosing(byte)) depth -= 1;
  }
  return weight;
}

/**
 * Parses a JSON text from an agent. Its structure is bounded before it is parsed, as a few megabytes can otherwise occupy the process
 * for seconds.
 * @throws Error
 */
export function parseJson(json: Buffer, { weightMax }: { weightMax: number }): unknown {
  const weight = jsonWeight(json);
  if (weight > weightMax) throw new Error(`the structure of the JSON text weighs ${weight}, more than ${weightMax}`);
  return JSON.parse(json.toString());
}

/** `rest` is the text with an empty array in the place of the list. */
export type SplitList = { items: Buffer[]; rest: Buffer };

/** After this many bytes the search for items rests. */
const searchedBytes = 256 * 1024;

/**
 * Finds the items of the array under `key` of an object, without parsing them, and yields now and then so that its caller can rest.
 * A text that is not JSON may come out in any way: the parts are still to be parsed.
 * @throws Error if the array has more than `itemsMax` items
 */
export function* splitList(
  json: Buffer,
  { key, itemsMax }: { key: string; itemsMax: number },
): Generator<void, SplitList> {
  const items: Buffer[] = [];
  let depth = 0;
  let inString = false;
  let stringStart = 0;
  let lastKey = '';
  let listStart = -1;
  let listEnd = -1;
  let itemStart = -1;
  const endItem = (end: number) => {
    if (items.length === itemsMax) throw new Error(`the list has more than ${itemsMax} items`);
    items.push(json.subarray(itemStart, end));
  };
  for (let at = 0; at < json.length; at++) {
    if (at % searchedBytes === 0) yield;
    const byte = json[at] as number;
    if (inString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        inString = false;
        if (depth === 1) lastKey = at - stringStart > 64 ? '' : json.toString('utf8', stringStart + 1, at);
      }
    } else if (byte === quote) {
      inString = true;
      stringStart = at;
    } else if (isOpening(byte)) {
      depth += 1;
      if (depth > depthMax) throw new Error(`values are nested more than ${depthMax} deep`);
      if (depth === 2 && byte === 0x5b && lastKey === key && listStart < 0) {
        listStart = at;
        itemStart = at + 1;
      }
    } else if (isClosing(byte)) {
      depth -= 1;
      if (depth === 1 && listStart >= 0 && listEnd < 0) {
        listEnd = at;
        if (items.length > 0 || json.toString('latin1', itemStart, at).trim() !== '') endItem(at);
      }
    } else if (byte === comma && depth === 2 && listStart >= 0 && listEnd < 0) {
      endItem(at);
      itemStart = at + 1;
    }
  }
  if (listEnd < 0) throw new Error(`the list ${key} is missing`);
  return { items, rest: Buffer.concat([json.subarray(0, listStart + 1), json.subarray(listEnd)]) };
}

const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d;
