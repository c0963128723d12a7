import {
  AppError,
  compileFor,
  compileSchema,
  createFormCheck,
  deferSchema,
  type Extensions,
  type Issue,
  type JSONSchema,
  localizedText,
  type Validator,
} from '#kernel'

type Config = Record<string, unknown>

/**
 * Creates the view of the registered kinds that their plugin uses; each kind is completed once. `unsupported` creates
 * the error for a kind that is not registered.
 */
export function createKinds<Kind extends { kind: string }, Full extends Kind = Kind>(
  registered: Pick<Extensions<Kind>, 'get' | 'list'>,
  { unsupported, complete }: { unsupported(kind: string): AppError; complete(kind: Kind): Full },
) {
  const completed = new WeakMap<Kind, Full>()
  const ensureComplete = (kind: Kind): Full => {
    const full = completed.get(kind) ?? complete(kind)
    completed.set(kind, full)
    return full
  }
  const find = (name: string): Full | undefined => {
    const kind = registered.get(name)
    return kind && ensureComplete(kind)
  }
  return {
    /** Lists the kinds in the order in which they were registered. */
    list: (): Full[] => registered.list().map(ensureComplete),
    find,
    /** Throws the error for a kind that is not registered. */
    get(name: string): Full {
      const kind = find(name)
      if (!kind) throw unsupported(name)
      return kind
    },
  }
}

/** The form of a config schema that lists all fields. */
export const closedSchema = {
  type: 'object',
  properties: {
    type: { const: 'object' },
    properties: { type: 'object' },
    additionalProperties: { const: false },
  },
  required: ['type', 'properties', 'additionalProperties'],
} as const satisfies JSONSchema

/**
 * Creates the check of kinds that plugins register: `properties` are the fields that a kind has beside `kind` and
 * `label`, and those named in `functions` must be functions. The check throws one sentence, also for an invalid
 * `config_schema`.
 */
export function createKindCheck<Kind extends { kind: string; config_schema: JSONSchema }>(
  noun: string,
  {
    pattern = '^[a-z][a-z0-9-]{0,63}$',
    properties,
    required,
    functions,
  }: {
    /** The pattern of names. */
    pattern?: string
    properties: Readonly<Record<string, JSONSchema>>
    required: readonly string[]
    functions: readonly (keyof Kind & string)[]
  },
): (candidate: unknown) => Kind {
  const assertForm = createFormCheck<Kind>(
    {
      type: 'object',
      properties: {
        kind: { type: 'string', pattern },
        label: localizedText,
        ...properties,
        ...Object.fromEntries(functions.map((name) => [name, true])),
      },
      required: ['kind', 'label', 'config_schema', ...required],
      additionalProperties: false,
    },
    functions,
  )
  return (candidate) => {
    const subject = `${noun} "${(candidate as { kind?: unknown } | null)?.kind}"`
    const kind = assertForm(candidate, subject)
    compileFor(subject, () => compileSchema(kind.config_schema, 'json'))
    return kind
  }
}

/** Creates the check of configs of a kind, which throws VALIDATION_FAILED with paths below `path`. */
export function createConfigCheck(
  schema: JSONSchema,
  { path, max_bytes }: { path: string; max_bytes: number },
): (config: Config) => void {
  const check: Validator = deferSchema(schema, 'json')
  const refuse = (issues: readonly Issue[], cause?: unknown) => {
    const below = issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` }))
    throw new AppError('VALIDATION_FAILED', { issues: below }, { cause })
  }
  return (config) => {
    if (Buffer.byteLength(JSON.stringify(config)) > max_bytes)
      refuse([{ path: '', rule: 'maxLength', message: `must be at most ${max_bytes} bytes of JSON` }])
    try {
      // The check fills in defaults. They are not stored: a later version of the kind may have others.
      check(structuredClone(config))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refuse(error.details.issues as Issue[], error)
    }
  }
}

/** All ends of lines that a model or a person may see as one. */
export const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g

/** Matches control characters, and the marks that change the direction of the text behind them. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Returns a name in one line, so that it cannot write lines of its own into a prompt. */
export const toLine = (name: string): string => name.replace(CONTROL, ' ').replace(/\s+/g, ' ').trim()

/** Indents all lines of somebody's words but the first, so that none looks like the beginning of another's words. */
export const indentWords = (words: string): string => words.replace(LINE_BREAK, '\n  ')

/** Writes somebody's words behind the name of the person. */
export const attributeWords = (name: string, words: string): string =>
  `${toLine(name)}: ${indentWords(words)}`
/**
 * Describes content that is not text, as `[place: Cafe, Main Street]`, in one line, so that names in it cannot begin lines
 * of their own; empty if no part says anything.
 */
export function describeInBrackets(name: string, parts: readonly string[]): string {
  const words = parts.map(toLine).filter((part) => part !== '')
  return words.length > 0 ? `[${name}: ${[...new Set(words)].join(', ')}]` : ''
}
