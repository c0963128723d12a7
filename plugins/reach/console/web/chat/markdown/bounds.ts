/** The most of a block that is parsed, beside code; parsing and layout of more would block the page. */
const MAX_CHARS = 100_000
const MAX_LINES = 3_000
/** Characters that can begin or end something within a line; pairs of them are sought in squared time. */
const MAX_MARKS = 5_000
/** The most quotes and lists within each other. */
const MAX_DEPTH = 40

const CODE = /^[ \t>]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n[ \t>]*\1|[\s\S]*$)/gm
const MARKS = /[*_[\]~`\\$<&|]/g
/** The quotes and list items that a line begins. */
const CONTAINERS = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))+/

/** True for a block of Markdown that can be parsed and shown in a moment. */
export function isBounded(block: string): boolean {
  const text = block.replace(CODE, '')
  if (text.length > MAX_CHARS || (text.match(MARKS)?.length ?? 0) > MAX_MARKS) return false
  const lines = text.split('\n')
  return lines.length <= MAX_LINES && measureDepth(lines) <= MAX_DEPTH
}

function measureDepth(lines: readonly string[]): number {
  let deepest = 0
  /** The columns at which the lists around a line begin. */
  let columns: number[] = []
  for (const line of lines) {
    const [begun] = CONTAINERS.exec(line) ?? []
    if (begun === undefined) continue
    const column = begun.search(/[^ \t]/)
    columns = [...columns.filter((other) => other < column), column]
    const marks = begun.replace(/[ \t\d]/g, '').length
    deepest = Math.max(deepest, columns.length - 1 + marks)
  }
  return deepest
}
