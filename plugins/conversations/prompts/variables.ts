import { AppError } from '#plugin-api'

/** The most variables of a prompt. */
const MAX_VARIABLES = 20

/** A variable: a name of letters, digits, `-` and `_` in two pairs of braces. Braces around anything else are text. */
const VARIABLE = /\{\{[ \t]*([\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]{0,31})[ \t]*\}\}/gu

/** Lists the variables of a text in the order in which they first appear. */
export const listVariables = (text: string): string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name!)),
]

/** Throws VALIDATION_FAILED if a text has more variables than somebody would fill in. */
export function assertFewVariables(text: string): void {
  const { length } = listVariables(text)
  if (length <= MAX_VARIABLES) return
  const message = `must have at most ${MAX_VARIABLES} variables, and has ${length}`
  throw new AppError('VALIDATION_FAILED', { issues: [{ path: '/text', rule: 'variables', message }] })
}
