/** One character's place in a name pattern. */
type Token =
  | { type: 'character'; value: string }
  | { type: 'any' }
  | { type: 'many' }
  | { type: 'class'; ranges: [from: string, to: string][]; negated: boolean }

/** What one name, a part of a path, has to look like. */
export interface NamePattern {
  /** The name itself, if the pattern leaves no choice. */
  literal: string | undefined
  matches(name: readonly string[]): boolean
}

/** Makes a pattern of its characters: `*`, `?`, `[a-z]`, `[!a-z]`, and a backslash before what stands for itself. */
export function parseNamePattern(characters: readonly string[]): NamePattern {
  const tokens = tokensOf(characters)
  const isPlain = tokens.every(({ type }) => type === 'character')
  const first = tokens[0]
  const showsHidden = first?.type === 'character' && first.value === '.'
  return {
    literal: isPlain ? tokens.map((token) => (token as { value: string }).value).join('') : undefined,
    matches: (name) => (showsHidden || name[0] !== '.') && matchTokens(tokens, name),
  }
}

function tokensOf(characters: readonly string[]): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at++) {
    const value = characters[at]!
    if (value === '*') {
      if (tokens.at(-1)?.type !== 'many') tokens.push({ type: 'many' })
    } else if (value === '?') tokens.push({ type: 'any' })
    else if (value === '[') {
      const found = readClass(characters, at)
      tokens.push(found?.token ?? { type: 'character', value })
      at = found?.end ?? at
    } else if (value === '\\' && at + 1 < characters.length)
      tokens.push({ type: 'character', value: characters[++at]! })
    else tokens.push({ type: 'character', value })
  }
  return tokens
}

/** The class that begins at a bracket, and where it ends; undefined if it has no end and so is none. */
function readClass(characters: readonly string[], start: number): { token: Token; end: number } | undefined {
  const negated = ['!', '^'].includes(characters[start + 1] ?? '')
  const first = start + (negated ? 2 : 1)
  const ranges: [string, string][] = []
  for (let at = first; at < characters.length; at++) {
    if (characters[at] === ']' && at > first) return { token: { type: 'class', ranges, negated }, end: at }
    const from = characters[characters[at] === '\\' && at + 1 < characters.length ? ++at : at]!
    const to = characters[at + 2]
    const isRange = characters[at + 1] === '-' && to !== undefined && to !== ']'
    ranges.push([from, isRange ? to : from])
    if (isRange) at += 2
  }
  return undefined
}

/** Goes back to the last star only, so it takes at most as many steps as the lengths' product. */
function matchTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let [token, at] = [0, 0]
  let star = -1
  let starAt = 0
  while (at < name.length) {
    const current = tokens[token]
    if (current?.type === 'many') {
      star = token++
      starAt = at
    } else if (current && accepts(current, name[at]!)) {
      token++
      at++
    } else if (star >= 0) {
      token = star + 1
      at = ++starAt
    } else return false
  }
  if (tokens[token]?.type === 'many') token++
  return token === tokens.length
}

function accepts(token: Token, character: string): boolean {
  if (token.type === 'character') return token.value === character
  if (token.type !== 'class') return true
  const code = character.codePointAt(0)!
  return (
    token.ranges.some(([from, to]) => from.codePointAt(0)! <= code && code <= to.codePointAt(0)!) !==
    token.negated
  )
}
