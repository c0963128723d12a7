/** Writes JSON in which halves of characters in strings, which many platforms refuse, are replaced by U+FFFD. */
export const toWellFormedJSON = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part))
