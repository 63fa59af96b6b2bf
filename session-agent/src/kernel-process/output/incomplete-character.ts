/** How many bytes at the end begin a UTF-8 character (RFC 3629) whose rest is missing: 0 to 3. Pure. */
export function incompleteCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < characterBytes(byte) ? back : 0;
  }
  return 0;
}

function characterBytes(lead: number): number {
  if (lead >= 0xf8) return 0;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
