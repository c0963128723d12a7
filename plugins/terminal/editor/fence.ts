/** A text as a fenced block of Markdown, which no line of it can end. */
export function fence(text: string, info = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}${info}\n${text}${text.endsWith('\n') ? '' : '\n'}${mark}`
}
