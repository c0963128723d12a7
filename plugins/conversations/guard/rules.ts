import type { LocalizedText } from '#plugin-api'

/** A place in a text, in UTF-16 units. */
export interface Span {
  start: number
  end: number
}

/** A rule that finds something in texts. */
export interface Rule {
  name: string
  label: LocalizedText
  action: 'warn' | 'redact' | 'block'
  /** Finds what does not overlap, in order. */
  find(text: string): Span[]
}

/** A hit of a rule. */
export interface Hit extends Span {
  rule: Rule
}

/** The texts that redactions leave, in which no rule finds anything. */
const REDACTED = /\[redacted: [^\]\n]{1,60}\]|\[已隐去：[^\]\n]{1,60}\]/g

/** Returns the text in place of a hit. */
export const redactionOf = ({ label }: Rule): LocalizedText => ({
  en: `[redacted: ${label.en}]`,
  zh: `[已隐去：${label.zh}]`,
})

/** Finds the hits of all rules in a text, in order; of those that overlap, the first and longest. */
export function findHits(rules: readonly Rule[], text: string): Hit[] {
  const all = rules.flatMap((rule) => rule.find(text).map((span): Hit => ({ ...span, rule })))
  if (all.length === 0) return all
  const redacted = [...text.matchAll(REDACTED)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
  all.sort((one, other) => one.start - other.start || other.end - one.end)
  const hits: Hit[] = []
  let next = 0
  for (const hit of all) {
    while (next < redacted.length && redacted[next]!.end <= hit.start) next += 1
    const isRedacted = next < redacted.length && redacted[next]!.start < hit.end
    if (!isRedacted && hit.start >= (hits.at(-1)?.end ?? 0)) hits.push(hit)
  }
  return hits
}
