import { isFormula, isLabel, isMoney } from './is-formula.ts'

/** A span of Markdown: prose, code and addresses, which are kept as they are, or a formula. */
export interface Span {
  type: 'prose' | 'verbatim' | 'formula' | 'display'
  text: string
  /** The TeX of a formula, without its delimiters. */
  tex?: string
}

interface Rule {
  /** Matches at its `lastIndex`; the first group is the TeX of a formula. */
  pattern: RegExp
  type: Exclude<Span['type'], 'prose'>
  /** True if its line may begin with nothing else but marks of quotes and lists. */
  isLineStart?: true
  accepts?(tex: string, after: string): boolean
}

const RULES: readonly Rule[] = [
  {
    type: 'verbatim',
    pattern: /(`{3,}|~{3,})[^\n`]*(?:\n[\s\S]*?)?(?:\n[ \t>]*\1|$(?![\s\S]))/my,
    isLineStart: true,
  },
  { type: 'verbatim', pattern: /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/y },
  {
    type: 'verbatim',
    pattern: /\]\([^()\s]*\)|https?:\/\/[^\s<>)\u2018-\u201d\u3000-\u9fff\uff00-\uffef]+/y,
  },
  {
    type: 'display',
    pattern: /\\\[((?:(?!\\\[|\n[ \t>]*\n)[\s\S])+?)\\\][ \t]*$/my,
    isLineStart: true,
    accepts: (tex) => !isLabel(tex),
  },
  { type: 'display', pattern: /\$\$(?!\$)((?:(?!\$\$)[\s\S])+?)\$\$[ \t]*$/my, isLineStart: true },
  { type: 'formula', pattern: /\\\(((?:(?!\\\(|\n[ \t>]*\n)[\s\S])+?)\\\)/y, accepts: isFormula },
  {
    type: 'formula',
    pattern: /\\\[((?:(?!\\\[|\n[ \t>]*\n)[\s\S])+?)\\\]/y,
    accepts: (tex) => !isLabel(tex),
  },
  {
    type: 'formula',
    pattern: /\$\$(?![\s$])([^$\n]+?)(?<!\s)\$\$(?!\$)/y,
    accepts: (tex) => !isMoney(tex, ''),
  },
  {
    type: 'formula',
    pattern: /(?<![\w$])\$(?![\s$,.:;!?)\]}])((?:\\.|[^$\\\n])+?)(?<!\s)\$(?![\w${])/y,
    accepts: (tex, after) => !isMoney(tex, after),
  },
]

/** Longer formulas are shown as text. */
const MAX_TEX_CHARS = 5_000

/** The beginning of what a rule may match, or an escaped character, or a run of dollars. */
const CANDIDATE = /`+|~{3,}|\]\(|https?:\/\/|\\[\s\S]|\$+/g
const LINE_START = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/

/** Splits Markdown into its spans, whose texts make up the whole. */
export function splitSpans(text: string): Span[] {
  const spans: Span[] = []
  let end = 0
  let lineStart = 0
  let seen = 0
  CANDIDATE.lastIndex = 0
  for (let match = CANDIDATE.exec(text); match; match = CANDIDATE.exec(text)) {
    const newline = text.slice(seen, match.index).lastIndexOf('\n')
    if (newline >= 0) lineStart = seen + newline + 1
    seen = match.index
    const span = readSpan(text, match.index, text.slice(lineStart, match.index))
    if (!span) continue
    if (match.index > end) spans.push({ type: 'prose', text: text.slice(end, match.index) })
    spans.push(span)
    end = match.index + span.text.length
    CANDIDATE.lastIndex = end
  }
  if (end < text.length) spans.push({ type: 'prose', text: text.slice(end) })
  return spans
}

/** Reads the span that begins at a position, behind the given part of its line. */
function readSpan(text: string, index: number, line: string): Span | undefined {
  for (const { pattern, type, isLineStart, accepts } of RULES) {
    if (isLineStart && !LINE_START.test(line)) continue
    pattern.lastIndex = index
    const match = pattern.exec(text)
    if (!match) continue
    const [all, tex = ''] = match
    if (type === 'verbatim') return { type, text: all }
    if (tex.length > MAX_TEX_CHARS) continue
    if (accepts?.(tex, text.slice(index + all.length)) ?? true) return { type, text: all, tex }
  }
  return undefined
}
