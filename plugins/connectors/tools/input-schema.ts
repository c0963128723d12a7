import { createContext, Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JSONSchema } from '#kernel'

type Json = Record<string, unknown>

/** The depth to which references are followed; a schema may refer to itself. */
const MAX_DEPTH = 12
/** The most parts of a schema that models are shown. */
const MAX_PARTS = 2000
/** The time for compiling a schema and checking an input by it, in milliseconds. */
const MAX_CHECK_MS = 500

/** The keywords that every provider takes, or that its client library converts. */
const KEPT = new Set([
  ...['type', 'title', 'description', 'properties', 'required', 'items', 'enum', 'const', 'anyOf', 'oneOf'],
  ...['allOf', 'additionalProperties', 'default', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems'],
  ...['maxItems', 'format', 'nullable'],
])
/** The keywords that no provider takes at the top of a schema. */
const NOT_AT_TOP = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'nullable']

/** Returns a schema that every kind of provider takes: an object at its top, without references. */
export function simplifySchema(original: unknown): JSONSchema {
  let room = MAX_PARTS
  const simplify = (schema: unknown, depth: number): unknown => {
    room -= 1
    if (!isObject(schema)) return {}
    if (room < 0 || depth > MAX_DEPTH) return {}
    if (typeof schema.$ref === 'string') {
      const { $ref, ...rest } = schema
      const target = resolve(original, $ref as string)
      return simplify(isObject(target) ? { ...target, ...rest } : rest, depth + 1)
    }
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (!KEPT.has(keyword)) return []
      if (keyword === 'properties') return [[keyword, mapValues(value, (part) => simplify(part, depth + 1))]]
      if (keyword === 'items' || keyword === 'additionalProperties')
        return [[keyword, typeof value === 'boolean' ? value : simplify(value, depth + 1)]]
      if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf')
        return Array.isArray(value) ? [[keyword, value.map((part) => simplify(part, depth + 1))]] : []
      return [[keyword, value]]
    })
    return Object.fromEntries(entries)
  }
  const whole = simplify(original, 0) as Json
  const top = Object.entries(whole).filter(([keyword]) => !NOT_AT_TOP.includes(keyword))
  return { properties: {}, ...Object.fromEntries(top), type: 'object' }
}

function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = reference.slice(1).split('/').slice(1)
  return names.reduce<unknown>((part, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined
  }, root)
}

/**
 * Compiles the check of a tool's input by the schema as the server wrote it; throws a sentence for the model. A schema
 * that cannot be compiled, or whose check takes too long, is left to the server.
 */
export function compileCheck(name: string, original: unknown): (input: unknown) => unknown {
  let validate: ((input: unknown) => boolean) | null | undefined
  // One instance a schema, because an instance keeps what it has compiled.
  const compile = () => {
    try {
      const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false })
      const { $schema: _, $id: __, ...schema } = withoutPatterns(original) as Json
      return ajv.compile(schema)
    } catch {
      return null
    }
  }
  return (input) => {
    if (!isObject(input)) throw new Error(`${name} was called with arguments that are not an object`)
    if (validate === null) return input
    const isValid = runBriefly(() => {
      if (validate === undefined) validate = compile()
      return !validate || validate(input)
    })
    if (isValid === undefined) validate = null
    if (isValid !== false) return input
    const { errors = [] } = validate as unknown as { errors?: { instancePath: string; message?: string }[] }
    const reasons = (errors ?? [])
      .slice(0, 8)
      .map(({ instancePath, message }) => `${instancePath || 'input'} ${message}`)
    throw new Error(`${name} was called with an input that is not valid: ${reasons.join('; ')}`)
  }
}

/** Only scripts can be ended after some time; one context serves all checks, because making one takes longer. */
const script = new Script('work()')
const scope: { work?: () => boolean } = createContext({})

/** Returns the result of synchronous work; undefined if it takes too long, as a few nested references suffice for. */
function runBriefly(work: () => boolean): boolean | undefined {
  scope.work = work
  try {
    return script.runInContext(scope, { timeout: MAX_CHECK_MS })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}

/** Patterns are a server's, and the engine's matching of some takes forever. */
function withoutPatterns(schema: unknown, depth = 0): unknown {
  if (depth > 64) throw new Error('the schema is too deep')
  if (Array.isArray(schema)) return schema.map((part) => withoutPatterns(part, depth + 1))
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema)
    .filter(
      ([keyword, value]) =>
        !(keyword === 'pattern' && typeof value === 'string') && keyword !== 'patternProperties',
    )
    .map(([keyword, value]) => [keyword, withoutPatterns(value, depth + 1)])
  return Object.fromEntries(entries)
}

const mapValues = (object: unknown, map: (value: unknown) => unknown): Json =>
  isObject(object)
    ? Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))
    : {}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
