import type { Adaptation, UpstreamReport } from '#plugin-api'
import { mergeAlternatives, type PlainSchema } from '../plain-schema.ts'
import type { ToolRules } from '../tool-rules.ts'

/** The formats that Gemini knows; it refuses others. */
const FORMATS: Record<string, readonly string[]> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}

/** The most values that are listed in a description. */
const MAX_VALUES = 50

/** The alternatives of a value, each with a single type. */
interface Choice {
  options: PlainSchema[]
  nullable: boolean
}

/** Gemini's rules for functions: names begin with a letter or an underscore, and schemas are a subset of OpenAPI's. */
export const toolRules: ToolRules = {
  name: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  // The client library loses a property that is called like the prototype.
  property: /^(?!__proto__$)[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  convert: toGeminiSchema,
}

/**
 * Converts a plain schema to the subset that Gemini accepts, in the form that its client library reads: every schema
 * has a single type or alternatives, and no keyword that is meant for another type.
 */
export function toGeminiSchema(schema: PlainSchema): PlainSchema {
  const { options, nullable } = toChoice(schema)
  // A value that can only be null has no type of its own.
  const typed = options.length > 0 ? options : [withDescription({ type: 'string' }, schema.description)]
  // The library makes a schema nullable if null is its other alternative.
  const schemas = nullable
    ? typed.map((option): PlainSchema => ({ anyOf: [option, { type: 'null' }] }))
    : typed
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas }
}

function toChoice(original: PlainSchema): Choice {
  const { anyOf, oneOf, ...schema } = mergeAllOf(original)
  const names = [schema.type ?? []].flat()
  const types = names.filter((type) => type !== 'null')
  const values = schema.const === undefined ? (schema.enum ?? []) : [schema.const]
  const hasNull = names.includes('null') || (names.length === 0 && values.includes(null))
  if (types.length > 0) {
    // A schema with types keeps them; alternatives only add properties.
    const whole = mergeAlternatives({ ...schema, anyOf, oneOf })
    return { options: types.map((type) => toOption(type, whole)), nullable: hasNull }
  }
  const choices = (anyOf ?? oneOf ?? []).map(toChoice)
  const options = choices.flatMap((choice) => choice.options)
  if (options.length > 0)
    return {
      options: options.map((option) => withDescription(option, schema.description)),
      nullable: hasNull || choices.some(({ nullable }) => nullable),
    }
  const isNull = hasNull && values.every((value) => value === null)
  if (isNull || (choices.length > 0 && choices.every(({ nullable }) => nullable)))
    return { options: [], nullable: true }
  const valueTypes = new Set(values.filter((value) => value !== null).map((value) => typeof value))
  const guesses = valueTypes.size > 0 ? VALUE_TYPES.filter((type) => valueTypes.has(type)) : ANY
  return { options: guesses.map((type) => toOption(type, schema)), nullable: hasNull }
}

const VALUE_TYPES = ['string', 'number', 'boolean', 'object'] as const
/** The types of a value of any type; Gemini requires one. */
const ANY = ['string', 'number', 'boolean', 'object'] as const

/** Merges what all of `allOf` demand. */
function mergeAllOf(schema: PlainSchema): PlainSchema {
  if (!schema.allOf) return schema
  const { anyOf, oneOf, ...others } = schema
  const merged = mergeAlternatives(others)
  return { ...merged, ...(anyOf && { anyOf }), ...(oneOf && { oneOf }) }
}

/** Returns a schema of one type with the keywords that Gemini knows for it. */
function toOption(type: string, schema: PlainSchema): PlainSchema {
  const option: PlainSchema = { type: type as PlainSchema['type'] }
  const values = (schema.const === undefined ? (schema.enum ?? []) : [schema.const]).filter((value) =>
    type === 'integer' ? Number.isInteger(value) : typeof value === type,
  )
  if (type === 'object') {
    const entries = Object.entries(schema.properties ?? {}).map(([name, part]) => [
      name,
      toGeminiSchema(part),
    ])
    option.properties = Object.fromEntries(entries)
    if (schema.required?.length) option.required = schema.required
  } else if (type === 'array') option.items = toItems(schema.items)
  else if (type === 'string') {
    // An empty text is refused as a value.
    const texts = values.filter((value) => value !== '')
    if (texts.length > 0) return withDescription({ ...option, enum: texts }, schema.description)
    if (schema.minLength !== undefined) option.minLength = schema.minLength
  } else if (values.length > 0)
    // Only texts can be enumerated.
    return withDescription(
      option,
      `${schema.description ?? ''} One of ${values.slice(0, MAX_VALUES).join(', ')}.`.trim(),
    )
  if (schema.format && FORMATS[type]?.includes(schema.format)) option.format = schema.format
  return withDescription(option, schema.description)
}

/** Items must have a type. */
const toItems = (items: PlainSchema | undefined): PlainSchema =>
  items && Object.keys(items).length > 0 ? toGeminiSchema(items) : { type: 'string' }

const withDescription = (schema: PlainSchema, description: string | undefined): PlainSchema =>
  description ? { ...schema, description: schema.description ?? description } : schema

const says =
  (pattern: RegExp) =>
  ({ message }: UpstreamReport) =>
    pattern.test(message)

/** The changes that models of the Gemini API may need: those that draw refuse more than those that write. */
export const adaptations = {
  no_thinking: {
    label: { en: 'No reasoning settings', zh: '不发送思考设置' },
    isNeeded: says(/thinking (?:is not|level|budget)|thinking_?(?:config|level|budget)|thinkingconfig/i),
  },
  no_tools: {
    label: { en: 'No tools', zh: '不发送工具' },
    isNeeded: says(/(?:function calling|tool use|tools?) (?:is|are) not (?:enabled|supported)/i),
  },
  instructions_as_user: {
    label: { en: 'Instructions in a user message', zh: '以用户消息发送指令' },
    isNeeded: says(/(?:developer|system) instruction is not (?:enabled|supported)/i),
  },
  draws_pictures: {
    label: { en: 'Answers with text and pictures', zh: '以文字和图片回答' },
    isNeeded: says(/response modalities/i),
  },
  json_in_words: {
    label: { en: 'JSON requested in the prompt', zh: '通过提示词要求 JSON' },
    isNeeded: says(/response mime ?type|response_?mime_?type|response_?schema|json mode/i),
  },
} satisfies Record<string, Adaptation>
