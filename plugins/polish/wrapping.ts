/** Takes off what a whole text is wrapped in; undefined where it is not. */
type Wrapping = (text: string) => string | undefined

const tags: Wrapping = (text) => /^<prompt>(.*)<\/prompt>$/s.exec(text)?.[1]

/** The fence may be of any length; where it also stands inside, these are two blocks of code with text between them. */
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

/** An answer without what the model has wrapped it in; what the prompt itself is wrapped in stays. */
export function unwrap(answer: string, prompt: string): string {
  const asked = prompt.trim()
  let text = answer.trim()
  for (const open of [tags, fence, quotes]) if (open(asked) === undefined) text = open(text)?.trim() ?? text
  return text
}
