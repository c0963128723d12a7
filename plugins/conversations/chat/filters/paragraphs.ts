/** The most characters of a paragraph; a longer one is cut. */
const MAX_PARAGRAPH_CHARS = 4000

/** A paragraph, and the white space between it and the next one. */
export interface Paragraph {
  /** Empty if there is only white space. */
  text: string
  space: string
}

/** Divides a text that arrives in pieces into paragraphs. */
export type Paragraphs = ReturnType<typeof createParagraphs>

/**
 * Creates the division of one text. A paragraph ends at a blank line outside of a fenced code block, and at the latest
 * after MAX_PARAGRAPH_CHARS; the pieces in which the text arrives make no difference.
 */
export function createParagraphs() {
  /** The text from the beginning of the paragraph. */
  let buffer = ''
  let fenceAtStart: string | undefined
  /** The first unread line, and the fence that is open there. */
  let lineStart = 0
  let fence: string | undefined

  const take = (textEnd: number, end: number, nextFence: string | undefined): Paragraph => {
    const text = buffer.slice(0, textEnd).trimEnd()
    const paragraph = { text, space: buffer.slice(text.length, end) }
    buffer = buffer.slice(end)
    lineStart = 0
    fenceAtStart = nextFence
    fence = nextFence
    return paragraph
  }

  /** Takes the first paragraph if it is whole. */
  const next = (): Paragraph | undefined => {
    const most = Math.min(buffer.length, MAX_PARAGRAPH_CHARS)
    for (;;) {
      const newline = buffer.indexOf('\n', lineStart)
      if (newline < 0 || newline >= most) break
      const line = buffer.slice(lineStart, newline)
      if (fence === undefined && line.trim() === '') return take(lineStart, newline + 1, undefined)
      fence = readFence(line, fence)
      lineStart = newline + 1
    }
    if (buffer.length < MAX_PARAGRAPH_CHARS) return undefined
    const cut = findCut(buffer.slice(0, MAX_PARAGRAPH_CHARS))
    const lines = buffer.slice(0, cut).split('\n').slice(0, -1)
    return take(
      cut,
      cut,
      lines.reduce<string | undefined>((open, line) => readFence(line, open), fenceAtStart),
    )
  }

  return {
    /** Adds a piece; returns the paragraphs that are whole with it. */
    add(piece: string): Paragraph[] {
      buffer += piece
      const paragraphs: Paragraph[] = []
      for (let whole = next(); whole; whole = next()) paragraphs.push(whole)
      return paragraphs
    },
    /** Ends the text; returns its last paragraph, if there is one. */
    end: (): Paragraph[] => (buffer === '' ? [] : [take(buffer.length, buffer.length, undefined)]),
  }
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** Returns the fence that is open after a line. */
function readFence(line: string, open: string | undefined): string | undefined {
  const [, marks, after = ''] = FENCE.exec(line) ?? []
  if (marks === undefined) return open
  if (open === undefined) return marks.startsWith('`') && after.includes('`') ? undefined : marks
  return marks.startsWith(open) && after.trim() === '' ? undefined : open
}

/** Finds the place to cut a long paragraph: after a line, a sentence or a word of its second half, not within a number. */
function findCut(text: string): number {
  const half = text.length / 2
  const newline = text.lastIndexOf('\n')
  if (newline >= half) return newline + 1
  for (const end of [/[.!?…]["'”’)]?\s|[。！？；]/g, /(?<!\d)\s|\s(?!\d)/g]) {
    let cut = 0
    for (const match of text.matchAll(end)) cut = match.index + match[0].length
    if (cut >= half) return cut
  }
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length
}
