import { RE2JS } from 're2js'
import { FileFailure } from '../files/file-failure.ts'

/** Steps of a compiled pattern; each may cost a step for each character searched. */
const MAX_PROGRAM = 10_000

const RULES =
  'Regular expressions are those of RE2: no lookahead, lookbehind, backreferences, atomic groups or possessive quantifiers, and counted repetitions up to 1000'

/** What is looked for in lines. */
export interface SearchPattern {
  isIn(line: string): boolean
  /** Where the first match begins, in UTF-16 units. */
  indexIn(line: string): number
}

/** Compiles what a caller looks for; takes linear time, whatever it is. Throws a FileFailure that explains. */
export function compilePattern(
  pattern: string,
  { literal = false, ignore_case = false }: { literal?: boolean; ignore_case?: boolean },
): SearchPattern {
  const expression = compile(literal ? RE2JS.quote(pattern) : pattern, ignore_case)
  if (expression.programSize() > MAX_PROGRAM)
    throw new FileFailure('the pattern is too large; use smaller counts of repetition, or fewer of them')
  return {
    isIn: (line) => expression.test(line),
    indexIn(line) {
      const matcher = expression.matcher(line)
      return matcher.find() ? matcher.start() : 0
    },
  }
}

function compile(pattern: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch (error) {
    const [reason = ''] = (error as Error).message.replace(/^error parsing regexp: /, '').split('\n')
    const shown = reason.length > 200 ? `${reason.slice(0, 200)}…` : reason
    throw new FileFailure(`the pattern cannot be used: ${shown}. ${RULES}`, { cause: error })
  }
}
