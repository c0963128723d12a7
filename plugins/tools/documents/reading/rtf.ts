import type { Block } from './blocks.ts'
import { type Decode, findDecoder } from './charsets.ts'
import { ReadingFailure } from './reading-failure.ts'
import { DOCUMENT_CHARSETS, findCodePage, findFontCharset, SIGNS } from './rtf-charsets.ts'
import { closeRtfTable, createRow, MAX_CELLS, type RtfRow } from './rtf-table.ts'
import { readTokens } from './rtf-tokens.ts'
import { ASIDES, BULLETS, CHARACTERS, FORMULA_MARKS, OPTIONAL, SKIPPED, SYMBOLS } from './rtf-words.ts'

/** The most groups within each other. */
const MAX_DEPTH = 10_000

/** The state that ends with a group. */
interface Group {
  target: 'text' | 'fonts' | 'styles' | 'nothing'
  font: number
  isHidden: boolean
  /** The characters that replace one of Unicode in programs that do not know it. */
  fallback: number
  /** Of two versions of a text, the first one is skipped. */
  skipsNext: boolean
  end?: () => void
}

/** Returns the paragraphs and tables of a document in RTF. Throws DOCUMENT_DAMAGED or DOCUMENT_TOO_LARGE. */
export function readRtf(bytes: Uint8Array): Block[] {
  const start = Buffer.from(bytes.subarray(0, 1024))
    .toString('latin1')
    .search(/\{\\rtf/)
  if (start < 0) throw new ReadingFailure('DOCUMENT_DAMAGED')
  const blocks: Block[] = []
  const fonts = new Map<number, string>()
  const decoders = new Map<string, Decode>()
  const levels = new Map<number, number>()
  const margins = new Set<string>()
  const groups: Group[] = []
  let group: Group = { target: 'text', font: 0, isHidden: false, fallback: 1, skipsNext: false }
  let documentCharset = 'windows-1252'
  let standardFont = 0
  let text = ''
  let pending: number[] = []
  let skips = 0
  let isOptional = false
  let asides = 0
  let notes: string[] = []
  let rows: RtfRow[] = []
  let row = createRow()
  let cells: string[] = []
  let shape = { isBelow: false, isBeside: false }
  let isInTable = false
  let style = 0
  let level: number | undefined
  let styleText = ''
  let styleLevel: number | undefined

  const take = (part: string) => {
    if (group.target === 'styles') styleText += part
    else if (group.target === 'text' && !group.isHidden) text += part
  }
  const findCharset = () => fonts.get(group.font) ?? documentCharset
  /** Decodes the bytes that came since the last word. */
  const decodePending = () => {
    if (pending.length === 0) return
    const charset = findCharset()
    if (charset === SIGNS) take(pending.map((byte) => (BULLETS.has(byte) ? '•' : '')).join(''))
    else {
      const decode = decoders.get(charset) ?? findDecoder(charset)!
      decoders.set(charset, decode)
      take(decode(Uint8Array.from(pending)).replaceAll('\ufffd', ''))
    }
    pending = []
  }
  const add = (block: Block) => {
    blocks.push(block)
    for (const note of notes) blocks.push({ kind: 'text', text: note })
    notes = []
  }
  const endTable = () => {
    if (rows.length > 0) for (const block of closeRtfTable(rows)) add(block)
    rows = []
  }
  const endParagraph = () => {
    if (asides > 0 || isInTable) {
      text += '\n'
      return
    }
    endTable()
    if (text.trim() === '') return
    const heading = level ?? levels.get(style)
    const content = text.replace(/^\s*•\s*/, '- ')
    add(heading === undefined ? { kind: 'text', text: content } : { kind: 'heading', level: heading, text })
    text = ''
  }
  const endCell = () => {
    if (asides > 0) text += ' | '
    else {
      if (cells.length < MAX_CELLS) cells.push(text)
      text = ''
    }
  }
  const endRow = () => {
    if (asides > 0) {
      text += '\n'
      return
    }
    if (cells.length > 0) rows.push({ ...row, texts: cells })
    cells = []
  }
  const beginAside = (name: string) => {
    const outer = { text, style, level }
    text = ''
    asides += 1
    group.end = () => {
      asides -= 1
      const content = text.trim()
      text = outer.text
      style = outer.style
      level = outer.level
      if (content === '') return
      if (!/^(header|footer)/.test(name)) notes.push(content)
      else if (!margins.has(content)) {
        margins.add(content)
        blocks.push({ kind: 'text', text: content })
      }
    }
  }

  const readWord = (name: string, value: number | undefined) => {
    if (name === 'u' && value !== undefined) {
      const code = value < 0 ? value + 0x10000 : value
      // The places of signs in fonts are for private use.
      const isPrivate = code >= 0xf000 && code <= 0xf0ff
      take(isPrivate ? (BULLETS.has(code & 0xff) ? '•' : '') : String.fromCharCode(code))
      skips = group.fallback
      return
    }
    const wasOptional = isOptional
    isOptional = false
    if (SKIPPED.has(name) || (wasOptional && !OPTIONAL.has(name)) || /^m\w+Pr$/.test(name)) {
      group.target = 'nothing'
      return
    }
    if (group.target === 'nothing') {
      // The picture of an object has its words.
      if (name === 'result') group.target = 'text'
      return
    }
    if (ASIDES.has(name)) beginAside(name)
    const mark = FORMULA_MARKS[name]
    if (mark !== undefined) {
      take(mark)
      group.end = () => take(')')
    }
    const character = CHARACTERS[name]
    if (character !== undefined) take(character)
    switch (name) {
      case 'ansi':
      case 'mac':
      case 'pc':
      case 'pca':
        documentCharset = DOCUMENT_CHARSETS[name]!
        break
      case 'ansicpg':
        documentCharset = findCodePage(value ?? 0) ?? documentCharset
        break
      case 'deff':
        standardFont = value ?? 0
        group.font = standardFont
        break
      case 'fonttbl':
        group.target = 'fonts'
        break
      case 'fcharset': {
        const charset = findFontCharset(value ?? 0)
        if (group.target === 'fonts' && charset) fonts.set(group.font, charset)
        break
      }
      case 'cpg': {
        const charset = findCodePage(value ?? 0)
        if (group.target === 'fonts' && charset) fonts.set(group.font, charset)
        break
      }
      case 'f':
        group.font = value ?? 0
        break
      case 'stylesheet':
        group.target = 'styles'
        break
      case 's':
        style = value ?? 0
        break
      case 'outlinelevel':
        if (value === undefined || value > 8) break
        if (group.target === 'styles') styleLevel = value + 1
        else level = value + 1
        break
      case 'uc':
        group.fallback = Math.max(0, value ?? 1)
        break
      case 'upr':
        group.skipsNext = true
        break
      case 'object':
        group.target = 'nothing'
        break
      case 'v':
      case 'deleted':
        group.isHidden = value !== 0
        break
      case 'plain':
        group.isHidden = false
        group.font = standardFont
        break
      case 'pard':
        style = 0
        level = undefined
        if (asides === 0) isInTable = false
        break
      case 'intbl':
        if (asides === 0) isInTable = true
        break
      case 'par':
      case 'sect':
      case 'page':
        endParagraph()
        break
      case 'cell':
        endCell()
        break
      case 'row':
        endRow()
        break
      case 'trowd':
        row = createRow()
        shape = { isBelow: false, isBeside: false }
        break
      case 'trleft':
        row.left = value ?? 0
        break
      case 'trhdr':
        row.isHead = true
        break
      case 'clvmrg':
        shape.isBelow = true
        break
      case 'clmrg':
        shape.isBeside = true
        break
      case 'cellx':
        if (row.shapes.length < MAX_CELLS) row.shapes.push({ ...shape, right: value ?? 0 })
        shape = { isBelow: false, isBeside: false }
        break
    }
  }

  for (const token of readTokens(bytes.subarray(start))) {
    if (token.kind === 'byte') {
      isOptional = false
      if (skips > 0) skips -= 1
      else if (group.target !== 'nothing' && group.target !== 'fonts') pending.push(token.value)
      continue
    }
    if (token.kind === 'symbol' && '\\{}'.includes(token.name) && skips === 0) {
      // It may be the second byte of a character.
      pending.push(token.name.charCodeAt(0))
      continue
    }
    decodePending()
    if (token.kind === 'open') {
      skips = 0
      isOptional = false
      if (groups.length >= MAX_DEPTH) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      groups.push(group)
      const target = group.skipsNext ? 'nothing' : group.target
      group.skipsNext = false
      group = { ...group, target, end: undefined }
    } else if (token.kind === 'close') {
      skips = 0
      group.end?.()
      const parent = groups.pop()
      if (!parent) break
      if (parent.target === 'styles' && group.target === 'styles') {
        const numbered = /^\s*heading (\d)/i.exec(styleText)?.[1]
        const own =
          styleLevel ?? (numbered ? Number(numbered) : /^\s*title\s*;/i.test(styleText) ? 1 : undefined)
        if (own !== undefined) levels.set(style, own)
        style = 0
        styleText = ''
        styleLevel = undefined
      }
      group = parent
      if (groups.length === 0) break
    } else if (skips > 0 && !(token.kind === 'word' && token.name === 'u')) skips -= 1
    else if (token.kind === 'word') readWord(token.name, token.value)
    else if (token.kind === 'symbol') {
      if (token.name === '*') isOptional = true
      else take(SYMBOLS[token.name] ?? '')
    }
  }
  decodePending()
  isInTable = false
  if (cells.length > 0) endRow()
  endParagraph()
  endTable()
  return blocks
}
