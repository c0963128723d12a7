/** Cuts a text to a number of UTF-16 code units, but not inside a character that has two. */
export const cutText = (text: string, length: number): string =>
  text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text
