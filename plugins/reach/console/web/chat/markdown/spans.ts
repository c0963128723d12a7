import { cutAddress } from './address-ends.ts'

/** Commands of TeX, and texts in them, which are no words of a sentence. */
const COMMANDS = /\\(?:text|textbf|textit|mathrm|mathbf|mathit|operatorname)\*?\s*\{[^{}]*\}|\\[A-Za-z]+/g
const SIGNS = /[\\^_=<>+*{}≤≥≠≈∑∫√×÷→∞]/
const WORD = /\p{Ll}{3,}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

/** True if a text in round brackets of TeX is a formula, and not a remark whose brackets are escaped. */
const isFormula = (tex: string): boolean => SIGNS.test(tex) || !WORD.test(tex.replace(COMMANDS, ''))

/** True if a text in square brackets of TeX is a mark such as [1], [x] or [sic] whose brackets are escaped. */
const isLabel = (tex: string): boolean =>
  !SIGNS.test(tex) && (WORD.test(tex) || !/[A-Za-z]\s*[-/(]|[-/]\s*[A-Za-z]/.test(tex))

/** True if a text between two dollars is not a formula: amounts of money, or a sentence around them. */
function isMoney(tex: string, after: string): boolean {
  const words = tex.replace(COMMANDS, '')
  if (/[€£¥￥₹]/.test(words)) return true
  // "A$ 30", "HK$ 30": the second dollar belongs to the next amount.
  if (/(?:^|[^A-Za-z\\])[A-Z]{1,3}$/.test(tex) && /^\s?\d/.test(after)) return true
  if (/^[-+~]?\d/.test(tex)) return !/[\\^_{}]/.test(tex) && /\p{L}{2,}|[\p{sc=Han}]/u.test(words)
  return !SIGNS.test(tex) && (/\p{Ll}{3,}\s+\p{L}+\s+\p{L}{2,}/u.test(words) || /\p{sc=Han}/u.test(words))
}

/**
 * A span of Markdown: prose, code and targets of links, which are kept as they are, a formula, an address before Chinese
 * punctuation, which other readers take for a part of it, or the beginning of an address whose host is unsure.
 */
export interface Span {
  type: 'prose' | 'verbatim' | 'address' | 'unlinked' | 'formula' | 'display'
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
    pattern: /\]\([^()\s]*\)/y,
  },
  { type: 'address', pattern: /(?:https?:\/\/|(?<![\w.])www\.)[^\s<>]+/y },
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
const CANDIDATE = /`+|~{3,}|\]\(|https?:\/\/|www\.|\\[\s\S]|\$+/g
const SCHEME = /^https?:\/\/|^www\./
const LINE_START = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/

/** Splits Markdown into its spans, whose texts make up the whole. */
export function splitSpans(text: string): Span[] {
  const spans: Span[] = []
  let end = 0
  let lineStart = 0
  let scannedTo = 0
  CANDIDATE.lastIndex = 0
  for (let match = CANDIDATE.exec(text); match; match = CANDIDATE.exec(text)) {
    const newline = text.slice(scannedTo, match.index).lastIndexOf('\n')
    if (newline >= 0) lineStart = scannedTo + newline + 1
    scannedTo = match.index
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
    if (type === 'address') return readAddress(all, text.charAt(index - 1))
    if (type === 'verbatim') return { type, text: all }
    if (tex.length > MAX_TEX_CHARS) continue
    if (accepts?.(tex, text.slice(index + all.length)) ?? true) return { type, text: all, tex }
  }
  return undefined
}

/** Reads an address that goes on to the next space. */
function readAddress(all: string, precedingText: string): Span {
  const address = cutAddress(all)
  if (address === '') return { type: 'unlinked', text: SCHEME.exec(all)![0] }
  // The label of a link contains no other link.
  const isKept = address === all || precedingText === '[' || precedingText === '<'
  return { type: isKept ? 'verbatim' : 'address', text: address }
}
