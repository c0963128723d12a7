import { ConfigError } from '#plugin-api'
import type { Rule } from './rules.ts'

/** The longest pattern. */
export const MAX_PATTERN_CHARS = 500

/** The most instructions of a compiled pattern, each of which may run once per character. */
const MAX_PROGRAM = 2000

const PLACE = 'plugins.guard.rules.own'

/** A rule of the configuration. */
interface OwnRule {
  name: string
  pattern: string
  action: Rule['action']
}

/** Compiles the rules of an operator for an engine that reads a text in linear time. Throws a ConfigError with the place. */
export async function compileOwnRules(rules: readonly OwnRule[]): Promise<Rule[]> {
  if (rules.length === 0) return []
  const { RE2JS } = await import('re2js')
  const names = new Set(['keys', 'cards'])
  return rules.map(({ name, pattern, action }, index): Rule => {
    const refuse = (field: string, reason: string): never => {
      throw new ConfigError(`${PLACE}[${index}].${field} ${reason}`)
    }
    if (names.has(name)) refuse('name', `is the name of another rule: "${name}"`)
    names.add(name)
    const compile = () => {
      try {
        return RE2JS.compile(pattern)
      } catch (error) {
        const [reason = ''] = (error as Error).message.replace(/^error parsing regexp: /, '').split('\n')
        return refuse('pattern', `is not a regular expression of RE2: ${reason.slice(0, 200)}`)
      }
    }
    const expression = compile()
    if (expression.programSize() > MAX_PROGRAM)
      refuse('pattern', 'is too large; use smaller counts of repetition, or fewer of them')
    if (expression.test('') && expression.matcher('').find())
      refuse('pattern', 'matches an empty text; it must match at least one character')
    return {
      name,
      label: { en: name, zh: name },
      action,
      find(text) {
        const spans = []
        const matcher = expression.matcher(text)
        while (matcher.find())
          if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() })
        return spans
      },
    }
  })
}
