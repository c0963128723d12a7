/** A part of Markdown that no later text changes. */
export interface FinishedPart {
  /** Blocks are Markdown; a line of code is shown as it is, below the language of its block. */
  kind: 'block' | 'language' | 'code'
  text: string
  /** True if an empty row separates it from the part before it. */
  hasGap: boolean
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/
const LIST_ITEM = /^ {0,1}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
/** Blocks that end with their line: headings and rules. */
const ONE_LINE = /^ {0,3}(?:#{1,6}(?:\s|$)|(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$)/
const INDENTED = /^(?: {2,}|\t)/

/** Creates the splitter of Markdown that arrives in pieces: lines of code and items of lists are parts by themselves. */
export function createBlockSplitter() {
  let block: string[] = []
  let partial = ''
  /** The mark that ends a block of code at the top, and one within an item of a list. */
  let fence: string | undefined
  let innerFence: string | undefined
  let hasBlankLine = false
  let isFirst = true
  let parts: FinishedPart[] = []

  const emit = (kind: FinishedPart['kind'], text: string) => {
    const hasGap = hasBlankLine && !isFirst
    parts.push({ kind, text, hasGap })
    hasBlankLine = false
    isFirst = false
  }
  const finishBlock = () => {
    if (block.length === 0) return
    const text = block.join('\n')
    const endsBlank = block.at(-1)!.trim() === ''
    block = []
    innerFence = undefined
    emit('block', text.trimEnd())
    hasBlankLine = endsBlank
  }
  const begin = (line: string) => {
    const [, mark, language] = FENCE.exec(line) ?? []
    if (mark !== undefined) {
      // A block of code has a gap before it, also without an empty line.
      hasBlankLine = true
      fence = mark
      const name = language!.trim()
      if (name !== '') emit('language', name)
      return
    }
    block = [line]
    if (ONE_LINE.test(line)) {
      finishBlock()
      hasBlankLine = true
    }
  }
  const addToItem = (line: string) => {
    const isBlank = line.trim() === ''
    const afterBlank = block.at(-1)!.trim() === ''
    const [, mark] = FENCE.exec(line.trimStart()) ?? []
    if (innerFence !== undefined) {
      block.push(line)
      if (mark?.startsWith(innerFence)) innerFence = undefined
    } else if (isBlank || INDENTED.test(line)) {
      block.push(line)
      innerFence = mark
    } else if (LIST_ITEM.test(line) || afterBlank || mark !== undefined || ONE_LINE.test(line)) {
      finishBlock()
      begin(line)
    } else block.push(line)
  }
  const addLine = (line: string) => {
    const isBlank = line.trim() === ''
    if (fence !== undefined) {
      const [, mark, more] = FENCE.exec(line) ?? []
      if (mark?.startsWith(fence) && more === '') {
        fence = undefined
        hasBlankLine = true
      } else emit('code', line)
    } else if (block.length === 0) {
      if (isBlank) hasBlankLine = true
      else begin(line)
    } else if (LIST_ITEM.test(block[0]!)) addToItem(line)
    else if (isBlank) {
      finishBlock()
      hasBlankLine = true
    } else if (
      FENCE.test(line) ||
      (LIST_ITEM.test(line) && !block[0]!.startsWith('|')) ||
      /^#{1,6}\s/.test(line)
    ) {
      finishBlock()
      begin(line)
    } else block.push(line)
  }
  const takeParts = () => {
    const finished = parts
    parts = []
    return finished
  }

  return {
    /** Adds a piece of text; returns the parts that are finished now. */
    add(piece: string): FinishedPart[] {
      const lines = (partial + piece).split('\n')
      partial = lines.pop()!
      for (const line of lines) addLine(line.replace(/\r$/, ''))
      return takeParts()
    },
    /** Ends the text; returns the last parts. */
    end(): FinishedPart[] {
      if (partial !== '') addLine(partial)
      partial = ''
      finishBlock()
      fence = undefined
      return takeParts()
    },
    /** The text that is not finished yet. */
    get running() {
      return {
        text: [...block, ...(partial === '' ? [] : [partial])].join('\n'),
        isCode: fence !== undefined,
        hasGap: hasBlankLine && !isFirst,
      }
    },
  }
}
