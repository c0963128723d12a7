import { language } from '../i18n/language.ts'

/** A variable of a prompt, as the server reads it: a name in two pairs of braces. */
const VARIABLE = /\{\{[ \t]*([\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]{0,31})[ \t]*\}\}/gu
/** The variable that nobody needs to fill in. */
const DATE = 'date'

/** A part of the text of a prompt. */
export type TemplatePart = { text: string } | { variable: string }

/** Splits the text of a prompt at its variables. */
export function splitTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of template.matchAll(VARIABLE)) {
    if (match.index > end) parts.push({ text: template.slice(end, match.index) })
    parts.push({ variable: match[1]! })
    end = match.index + match[0].length
  }
  if (end < template.length) parts.push({ text: template.slice(end) })
  return parts
}

/** Lists the variables that somebody fills in, in the order of the text. */
export const listFields = (template: string): string[] =>
  [...new Set(splitTemplate(template).flatMap((part) => ('variable' in part ? [part.variable] : [])))].filter(
    (name) => name !== DATE,
  )

/** Returns the values of the variables that are known without asking: the date of today. */
export const knownValues = (): Record<string, string> => ({
  [DATE]: new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(),
})

/** Fills in the variables of a prompt; one without a value becomes nothing. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  splitTemplate(template)
    .map((part) => ('text' in part ? part.text : readValue(values, part.variable)))
    .join('')

const readValue = (values: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(values, name) ? (values[name] ?? '') : ''
