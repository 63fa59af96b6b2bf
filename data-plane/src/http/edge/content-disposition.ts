/**
 * The header that names a file for saving (RFC 6266). A name that is not plain ASCII comes a second time as UTF-8 (RFC 8187). Pure.
 */
export function contentDisposition(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  if (plain === name) return `inline; filename="${name}"`;
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
