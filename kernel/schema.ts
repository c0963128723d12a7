import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FormatsPlugin } from 'ajv-formats'
import ajvFormats from 'ajv-formats'
import type { FromSchema, JSONSchema as StaticSchema } from 'json-schema-to-ts'
import { AppError } from './errors.ts'
import { isLanguageTag } from './locale.ts'

/** A JSON Schema, draft 2020-12, as a plain object. */
export type JSONSchema = { readonly [keyword: string]: unknown }

/** The type that a schema literal describes. */
export type TypeOf<Schema> = Schema extends StaticSchema ? FromSchema<Schema> : unknown

/** One broken rule; `path` is a JSON pointer into the value, which itself is never repeated. */
export interface Issue {
  path: string
  rule: string
  message: string
}

const MAX_ISSUES = 16
const addFormats = ajvFormats as unknown as FormatsPlugin

/** The format `url`: an address that `new URL` takes, without blanks. */
const isUrl = (text: string) => !/\s/.test(text) && URL.canParse(text)

/** The format `timezone`: the IANA name of a time zone. */
const isTimeZone = (text: string) => {
  try {
    // Offsets, which are accepted as well, know no daylight saving.
    return /^[A-Za-z]/.test(text) && new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined
  } catch {
    return false
  }
}

const createAjv = (coerceTypes: false | 'array') => {
  const ajv = new Ajv2020({
    // Errors then have the schema, whose examples explain a pattern.
    verbose: true,
    coerceTypes,
    useDefaults: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: true,
    // Compiling the meta-schema takes a tenth of a start, so only `assertSchema` does it, for third-party plugins.
    validateSchema: false,
    // Optimizing costs more than it saves.
    code: { optimize: false },
  })
  addFormats(ajv)
  ajv.addFormat('bcp47', isLanguageTag)
  ajv.addFormat('url', isUrl)
  ajv.addFormat('timezone', isTimeZone)
  // Notes on configuration leaves: which variable and which flag set them.
  ajv.addVocabulary(['env', 'flag', 'operator'])
  return ajv
}

const metaSchema = createAjv(false)

/** For values written as text (path, query, environment), for JSON as sent, and for our own replies. */
const instances = { text: createAjv('array'), json: createAjv(false), reply: createAjv(false) }

/** Checks a value, fills in defaults and returns the value, or throws VALIDATION_FAILED. */
export type Validator<Value = unknown> = (value: unknown) => Value

/** Throws if an object is not a JSON Schema. */
export function assertSchema(schema: JSONSchema): void {
  if (metaSchema.validateSchema(schema)) return
  // The first error names the keyword; those that follow are of the other forms that it could have.
  const [issue] = describeIssues(metaSchema.errors!.slice(0, 1))
  throw new Error(`${issue!.path} ${issue!.message}`)
}

type SchemaCompiler = <Value>(schema: JSONSchema, use: keyof typeof instances) => Validator<Value>

/**
 * Compiles a valid schema when it is first needed, because compiling takes a good part of a start and most schemas are
 * not needed soon. `text` turns strings into the types of the schema; `json` and `reply` do not.
 */
export const deferSchema: SchemaCompiler = <Value>(schema: JSONSchema, use: keyof typeof instances) => {
  let validate: ValidateFunction<Value> | undefined
  return (value) => {
    validate ??= instances[use].compile<Value>(schema)
    if (validate(value)) return value
    throw new AppError('VALIDATION_FAILED', { issues: describeIssues(validate.errors!) })
  }
}

/** Compiles a schema now, as `deferSchema` does later; throws if it is not a JSON Schema. */
export const compileSchema: SchemaCompiler = <Value>(schema: JSONSchema, use: keyof typeof instances) => {
  assertSchema(schema)
  instances[use].compile(schema)
  return deferSchema<Value>(schema, use)
}

/** Puts ajv's errors in the contract's form, the field that is too many or missing included in the path. */
function describeIssues(errors: ErrorObject[]): Issue[] {
  return errors.slice(0, MAX_ISSUES).map(({ instancePath, keyword, params, message, parentSchema }) => {
    const field: string | undefined =
      params.additionalProperty ?? params.missingProperty ?? params.unevaluatedProperty
    const path = field === undefined ? instancePath : `${instancePath}/${escapePointer(field.slice(0, 64))}`
    const allowed =
      params.allowedValues ?? (params.allowedValue === undefined ? undefined : [params.allowedValue])
    const examples = keyword === 'pattern' ? describeExamples(parentSchema) : undefined
    const words = allowed ? `${message}: ${allowed.join(', ')}` : message!
    return { path, rule: keyword, message: examples ?? words }
  })
}

/** Describes a pattern by its examples, which say more to a person than a regular expression. */
function describeExamples({ examples }: JSONSchema = {}): string | undefined {
  if (!Array.isArray(examples) || examples.length === 0) return undefined
  return `must look like ${examples.map((example) => JSON.stringify(example)).join(' or ')}`
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** An object schema with these properties and no others. */
export function objectOf<
  const Properties extends Record<string, unknown>,
  const Required extends readonly (keyof Properties & string)[] = readonly [],
>(properties: Properties, required?: Required) {
  return {
    type: 'object',
    properties,
    required: (required ?? []) as Required,
    additionalProperties: false,
  } as const
}

/** An object schema with these properties and no others, all of which are required except the optional ones. */
export function rowOf<
  const Properties extends Record<string, unknown>,
  const Optional extends readonly (keyof Properties & string)[] = readonly [],
>(properties: Properties, optional?: Optional) {
  type Required = Exclude<keyof Properties & string, Optional[number]>
  const required = Object.keys(properties).filter((name) => !optional?.includes(name))
  return {
    type: 'object',
    properties,
    required: required as Required[],
    additionalProperties: false,
  } as const
}

/** A schema that also takes null. */
export function nullable<const Schema>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}
