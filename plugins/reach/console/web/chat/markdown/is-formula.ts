/** Commands of TeX, and texts in them, which are no words of a sentence. */
const COMMANDS = /\\(?:text|textbf|textit|mathrm|mathbf|mathit|operatorname)\*?\s*\{[^{}]*\}|\\[A-Za-z]+/g
const SIGNS = /[\\^_=<>+*{}≤≥≠≈∑∫√×÷→∞]/
const WORD = /\p{Ll}{3,}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

/** True if a text in round brackets of TeX is a formula, and not a remark whose brackets are escaped. */
export const isFormula = (tex: string): boolean => SIGNS.test(tex) || !WORD.test(tex.replace(COMMANDS, ''))

/** True if a text in square brackets of TeX is a mark such as [1], [x] or [sic] whose brackets are escaped. */
export const isLabel = (tex: string): boolean =>
  !SIGNS.test(tex) && (WORD.test(tex) || !/[A-Za-z]\s*[-/(]|[-/]\s*[A-Za-z]/.test(tex))

/** True if a text between two dollars is not a formula: amounts of money, or a sentence around them. */
export function isMoney(tex: string, after: string): boolean {
  const words = tex.replace(COMMANDS, '')
  if (/[€£¥￥₹]/.test(words)) return true
  // "A$ 30", "HK$ 30": the second dollar belongs to the next amount.
  if (/(?:^|[^A-Za-z\\])[A-Z]{1,3}$/.test(tex) && /^\s?\d/.test(after)) return true
  if (/^[-+~]?\d/.test(tex)) return !/[\\^_{}]/.test(tex) && /\p{L}{2,}|[\p{sc=Han}]/u.test(words)
  return !SIGNS.test(tex) && (/\p{Ll}{3,}\s+\p{L}+\s+\p{L}{2,}/u.test(words) || /\p{sc=Han}/u.test(words))
}
