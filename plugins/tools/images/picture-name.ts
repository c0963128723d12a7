/** The most characters of a name, without its extension. */
const MAX_CHARS = 48

/** The extension of a media type that differs from its subtype. */
const EXTENSIONS: Readonly<Record<string, string>> = { jpeg: 'jpg' }

/** Names the file of a picture after the words that it was drawn from. */
export function toPictureName(prompt: string, media_type: string): string {
  const words = prompt.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  let stem = ''
  for (const word of words) {
    const longer = stem === '' ? word : `${stem}-${word}`
    if (longer.length > MAX_CHARS) break
    stem = longer
  }
  // A text without spaces is a single word.
  stem ||= [...(words[0] ?? 'picture')].slice(0, MAX_CHARS / 2).join('')
  const subtype = media_type.split('/')[1]!
  return `${stem.toLowerCase()}.${EXTENSIONS[subtype] ?? subtype}`
}
