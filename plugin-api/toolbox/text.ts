/** Cuts a text to a number of UTF-16 code units, but not inside a character that has two. */
export const cutText = (text: string, length: number): string =>
  text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text

/** Writes JSON in which halves of characters in strings, which many platforms refuse, are replaced by U+FFFD. */
export const toWellFormedJSON = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part))

/** Decodes a part of an address; one with a percent sign that encodes nothing means itself. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The pattern of names that people choose: printable text without spaces at its ends. */
export const NAME_PATTERN =
  '^[^\\s\\u0000-\\u001f\\u007f\\ud800-\\udfff]([^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*[^\\s\\u0000-\\u001f\\u007f\\ud800-\\udfff])?$'

/** Encodes a path for the target of a Markdown link, in which `#`, `?` and parentheses have a meaning. */
export const encodeLinkPath = (path: string): string =>
  encodeURI(path).replace(/[#?()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)

/** Returns a regular expression that matches just this text. */
export const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Returns the name, or the name with the lowest number that makes it unused, cut to `most` characters. */
export function findFreeName(name: string, used: ReadonlySet<string>, most: number): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const start = [...name].slice(0, most - end.length).join('')
    const candidate = start.trim() + end
    if (!used.has(candidate)) return candidate
  }
}
