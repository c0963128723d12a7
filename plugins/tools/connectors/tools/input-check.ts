import { isObject, type Json } from '#plugin-api'

/** The most steps of one check, which takes about a millisecond. */
const MAX_STEPS = 20_000
/** The characters of a text that are counted in one step. */
const CHARS_A_STEP = 16
const MAX_REASONS = 8
const MAX_REASON_CHARS = 500
/** The most values of a list that a reason names, and the most characters of each. */
const MAX_VALUES = 10
const MAX_VALUE_CHARS = 40

/**
 * A way in which a value violates a schema; decisive if the value is of another type, or another one than is listed.
 */
interface Violation {
  reason: string
  isDecisive: boolean
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

/**
 * Checks an input by a simplified schema, and throws a sentence for the model. Nothing of a server is compiled, and an
 * input whose check takes too many steps is left to the server.
 */
export function assertInput(name: string, schema: Json, input: unknown): void {
  if (!isObject(input)) throw new Error(`${name} was called with arguments that are not an object`)
  const violations = findViolations(schema, input)
  if (violations.length === 0) return
  const text = violations.map(({ reason }) => reason.slice(0, MAX_REASON_CHARS)).join('; ')
  throw new Error(`${name} was called with an input that is not valid: ${text}`)
}

/** Returns how a value violates a simplified schema; nothing if that takes too many steps. */
function findViolations(whole: Json, input: Json): Violation[] {
  let steps = MAX_STEPS
  let violations: Violation[] = []
  /** Counts a step; false if there are no more. */
  const step = (count = 1) => {
    steps -= count
    return steps >= 0
  }

  const isEqual = (left: unknown, right: unknown): boolean => {
    if (!step()) return true
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
      return left === right
    if (Array.isArray(left) !== Array.isArray(right)) return false
    const names = Object.keys(left)
    return (
      step(names.length) &&
      names.length === Object.keys(right).length &&
      names.every(
        (name) => Object.hasOwn(right, name) && isEqual((left as Json)[name], (right as Json)[name]),
      )
    )
  }

  const checkObject = (
    schema: Json,
    value: Json,
    { path, fail, namesBeside }: { path: string; fail(message: string): void; namesBeside: Names },
  ) => {
    for (const name of listOf(schema.required))
      if (step() && typeof name === 'string' && !Object.hasOwn(value, name))
        fail(`must have required property '${name}'`)
    const { properties = {}, additionalProperties: additional } = schema
    if (!isObject(properties)) return
    const names = hasParts(schema) ? new Set([...namesBeside, ...namesOf(schema)]) : namesBeside
    if (!step(names.size)) return
    for (const name in value) {
      if (!step()) return
      if (Object.hasOwn(properties, name)) check(properties[name], value[name], `${path}/${name}`)
      // Servers close a schema without a thought of the properties of its alternatives.
      else if (names.has(name)) continue
      else if (additional === false) fail(`must not have the property '${name}'`)
      else check(additional, value[name], `${path}/${name}`)
    }
  }

  const checkArray = (schema: Json, value: unknown[], path: string, fail: (message: string) => void) => {
    const { minItems, maxItems } = schema
    if (isNumber(minItems) && value.length < minItems) fail(`must have at least ${minItems} items`)
    if (isNumber(maxItems) && value.length > maxItems) fail(`must have at most ${maxItems} items`)
    if (!isObject(schema.items)) return
    for (let index = 0; index < value.length && steps >= 0; index += 1)
      check(schema.items, value[index], `${path}/${index}`)
  }

  const checkText = ({ minLength, maxLength }: Json, value: string, fail: (message: string) => void) => {
    if (!isNumber(minLength) && !isNumber(maxLength)) return
    if (!step(Math.ceil(value.length / CHARS_A_STEP))) return
    const { length } = [...value]
    if (isNumber(minLength) && length < minLength) fail(`must have at least ${minLength} characters`)
    if (isNumber(maxLength) && length > maxLength) fail(`must have at most ${maxLength} characters`)
  }

  const checkNumber = ({ minimum, maximum }: Json, value: number, fail: (message: string) => void) => {
    if (isNumber(minimum) && value < minimum) fail(`must be at least ${minimum}`)
    if (isNumber(maximum) && value > maximum) fail(`must be at most ${maximum}`)
  }

  /**
   * Returns the violations of the alternative that a value comes closest to, none if it fits one. Several alternatives
   * may have become alike when they were simplified, so that it may fit more than one.
   */
  const checkAlternatives = (
    schemas: unknown[],
    value: unknown,
    path: string,
    namesBeside: Names,
  ): Violation[] => {
    const outerViolations = violations
    let closest: Violation[] | undefined
    for (const schema of schemas) {
      violations = []
      check(schema, value, path, namesBeside)
      if (closest === undefined || distanceOf(violations) < distanceOf(closest)) closest = violations
      if (violations.length === 0) break
    }
    violations = outerViolations
    return closest ?? []
  }

  /** Checks a value; `namesBeside` are the names of properties in other schemas of the same value. */
  const check = (schema: unknown, value: unknown, path: string, namesBeside: Names = NO_NAMES): void => {
    if (!step() || !isObject(schema) || (value === null && schema.nullable === true)) return
    const fail = (message: string, isDecisive = false) => {
      if (violations.length < MAX_REASONS)
        violations.push({ reason: `${path || 'input'} ${message}`, isDecisive })
    }
    const types = [schema.type].flat()
    if (schema.type !== undefined && step(types.length) && !types.some((type) => isOfType(value, type))) {
      fail(`must be ${types.join(' or ')}`, true)
      return
    }
    if (Array.isArray(schema.enum) && !schema.enum.some((one) => isEqual(one, value)))
      fail(`must be one of ${describeValues(schema.enum)}`, true)
    if (Object.hasOwn(schema, 'const') && !isEqual(schema.const, value))
      fail(`must be ${describeValues([schema.const])}`, true)
    if (isObject(value)) checkObject(schema, value, { path, fail, namesBeside })
    else if (Array.isArray(value)) checkArray(schema, value, path, fail)
    else if (typeof value === 'string') checkText(schema, value, fail)
    else if (typeof value === 'number') checkNumber(schema, value, fail)
    if (!hasParts(schema)) return
    const all = listOf(schema.allOf)
    const namesOfAll = new Set([...namesBeside, ...namesOf({ properties: schema.properties, allOf: all })])
    const namesOfParts = all.length > 0 ? new Set([...namesOfAll, ...namesOf(schema)]) : namesOfAll
    for (const part of all) check(part, value, path, namesOfParts)
    for (const keyword of ['anyOf', 'oneOf']) {
      const schemas = listOf(schema[keyword])
      const [only] = schemas
      if (schemas.length === 1) check(only, value, path, namesOfAll)
      else {
        const closest = checkAlternatives(schemas, value, path, namesOfAll)
        const reasons = closest.map(({ reason }) => reason).join('; ')
        if (closest.length > 0)
          fail(
            `must fit one of the schemas of ${keyword}; the closest: ${reasons.slice(0, MAX_REASON_CHARS)}`,
          )
      }
    }
  }

  check(whole, input, '')
  return steps < 0 ? [] : violations
}

/** The keywords of the parts of a schema that are about the same value. */
const PARTS = ['allOf', 'anyOf', 'oneOf']
type Names = ReadonlySet<string>
const NO_NAMES: Names = new Set()

const hasParts = (schema: Json): boolean => PARTS.some((keyword) => Array.isArray(schema[keyword]))

/** Lists the names of the properties of a schema and its parts. */
const namesOf = (schema: unknown): string[] =>
  isObject(schema)
    ? [
        ...Object.keys(isObject(schema.properties) ? schema.properties : {}),
        ...PARTS.flatMap((keyword) => listOf(schema[keyword]).flatMap(namesOf)),
      ]
    : []

/** Returns how far a value is from an alternative; the decisive properties tell alternatives apart. */
const distanceOf = (violations: readonly Violation[]): number =>
  violations.reduce((sum, { isDecisive }) => sum + (isDecisive ? MAX_REASONS : 1), 0)

/** Names some of the values that a schema lists. */
function describeValues(values: readonly unknown[]): string {
  const shown = values
    .slice(0, MAX_VALUES)
    .map((value) =>
      typeof value === 'object' && value !== null
        ? 'an object or list of the schema'
        : JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_VALUE_CHARS) : value),
    )
  return [...shown, ...(values.length > MAX_VALUES ? ['…'] : [])].join(', ')
}

const isOfType = (value: unknown, type: unknown): boolean =>
  typeof type !== 'string' || !Object.hasOwn(TYPES, type) || TYPES[type]!(value)

const isNumber = (value: unknown): value is number => typeof value === 'number'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
