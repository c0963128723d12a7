/** Removes a wrapping that encloses the whole text; undefined if the text has none. */
type Wrapping = (text: string) => string | undefined

const tags: Wrapping = (text) => /^<prompt>(.*)<\/prompt>$/s.exec(text)?.[1]

/** A code fence of any length; if it also appears inside, the text is two blocks of code with words between them. */
const fence: Wrapping = (text) => {
  const [first = '', ...lines] = text.split('\n')
  const mark = /^(`{3,}|~{3,})[^`]*$/.exec(first)?.[1]
  if (!mark || lines.pop()?.trim() !== mark || lines.some((line) => line.startsWith(mark))) return undefined
  return lines.join('\n')
}

const QUOTES = [
  /^"([^"]*)"$/,
  /^'([^']*)'$/,
  /^`([^`]*)`$/,
  /^“([^“”]*)”$/,
  /^‘([^‘’]*)’$/,
  /^«([^«»]*)»$/,
  /^「([^「」]*)」$/,
  /^『([^『』]*)』$/,
]
const quotes: Wrapping = (text) => {
  for (const pair of QUOTES) {
    const inside = pair.exec(text)?.[1]
    if (inside !== undefined) return inside
  }
}

/** Removes the wrappings that the model has added; those that the prompt itself has are kept. */
export function unwrap(answer: string, prompt: string): string {
  const trimmedPrompt = prompt.trim()
  let text = answer.trim()
  for (const open of [tags, fence, quotes])
    if (open(trimmedPrompt) === undefined) text = open(text)?.trim() ?? text
  return text
}
