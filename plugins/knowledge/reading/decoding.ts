/**
 * Decodes a text: by its byte order mark, otherwise as UTF-8 if it is valid, otherwise as GB 18030 if that is valid,
 * otherwise as Windows-1252.
 */
export function decodeText(bytes: Buffer): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  for (const charset of ['utf-8', 'gb18030']) {
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes)
    } catch {
      // It is in another charset.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes)
}
