/** Tracks the open marks of a paragraph, part by part; in doubt a mark counts as open. */
export interface OpenMarks {
  areClosed(): boolean
  /** Clears the open marks at the end of a paragraph. */
  clear(): void
  /** Takes the next part of a line, with the text of the line before and after it. */
  take(part: string, before: string, behind: string): void
}

/** The parts of a line that may be marks, words, and the space between them. */
export const LINE_PART = /\\.|`+|[*_~]+|!?\[|\]\(|[\]()<>]|\s+|[^\\`*_~![\]()<>\s]+|./gsu

const SPACE = /^\s/u
const LETTER = /^[\p{L}\p{N}]/u

/** Creates the tracker for a sequence of paragraphs. */
export function createOpenMarks(): OpenMarks {
  /** Open backticks, brackets, angles, and runs of stars, underscores and tildes. */
  const open: string[] = []

  /** Closes the last matching mark and the marks opened within it. */
  const close = (like: (mark: string) => boolean): string | undefined => {
    const index = open.findLastIndex(like)
    return index < 0 ? undefined : open.splice(index)[0]
  }

  const takeRun = (run: string, before: string, behind: string) => {
    const isInWord = run.startsWith('_') && LETTER.test(before) && LETTER.test(behind)
    // A single tilde is no mark: people write it as punctuation.
    if (isInWord || run === '~') return
    let left = run.length
    while (left > 0 && before !== '' && !SPACE.test(before)) {
      const closed = close((mark) => mark.startsWith(run[0]!))
      if (!closed) break
      if (closed.length > left) open.push(closed.slice(left))
      left = Math.max(0, left - closed.length)
    }
    if (left > 0 && !SPACE.test(behind)) open.push(run.slice(0, left))
  }

  return {
    areClosed: () => open.length === 0,
    clear: () => void open.splice(0),

    take(part, before, behind) {
      const top = open.at(-1)
      if (top?.startsWith('`')) {
        if (part === top) open.pop()
      } else if (part.startsWith('`')) open.push(part)
      else if (/^[*_~]/.test(part)) takeRun(part, [...before.slice(-2)].at(-1) ?? '', behind)
      else if (/^!?\[/.test(part)) open.push('[')
      else if (part.startsWith(']')) {
        if (close((mark) => mark === '[') && part === '](') open.push('(')
      } else if (part === '(' && top === '(') open.push('(')
      else if (part === ')' && top === '(') open.pop()
      else if (part === '<' && /^(?:[a-z/!?]|$)/i.test(behind)) open.push('<')
      else if (part === '>') close((mark) => mark === '<')
    },
  }
}
