import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closest } from 'fastest-levenshtein'
import { type AppError, ConfigError } from '../errors.ts'
import { deferSchema, type Issue, type JSONSchema, type Validator } from '../schema.ts'
import { MASK } from '../security/secrets.ts'
import {
  type ConfigLeaf,
  configSchema,
  type KernelConfig,
  listLeaves,
  type SettingsSection,
} from './config-schema.ts'

/** The origin of a value: a default, the file, a variable or a flag. */
type ConfigSource = 'default' | 'config.json' | `env ${string}` | `flag --${string}`

/** One line of `svc config`; a secret's value is replaced by `••••`. */
export interface ConfigRow {
  key: string
  value: unknown
  source: ConfigSource
  env?: string
}

/** The configuration as it applies, and the origin of its values. */
export type Config = ReturnType<typeof layerConfig>

type Layer = { source: ConfigSource; text: string }

/** Reads `<home>/config.json` as it is; returns {} if it does not exist. */
export function readConfigFile(home: string): Record<string, unknown> {
  const path = join(home, 'config.json')
  if (!existsSync(path)) return {}
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // The piece of the file that the message quotes may be a secret.
    const reason = (error as Error).message.replace(
      /(, )?(\.\.\.)?".*"(\.\.\.)? (?=is not valid JSON$)/s,
      ' ',
    )
    throw new ConfigError(`${path} is not valid JSON: ${reason}`)
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new ConfigError(`${path} must hold a JSON object`)
  return content as Record<string, unknown>
}

/** Reads the setting `database.url`, unchecked, before the plugins are loaded whose schemas check the whole. */
export function readDatabaseUrl(home: string, env: NodeJS.ProcessEnv): unknown {
  const leaf = listLeaves(configSchema([])).find(({ path }) => path.join('.') === 'database.url')!
  return layerOf(leaf, env, {})?.text ?? lookUp(readConfigFile(home), leaf.path)
}

/** Puts file, environment and flags over the defaults, the later over the earlier, and checks the whole. */
export function layerConfig({
  file,
  env,
  flags,
  plugins,
}: {
  file: Record<string, unknown>
  env: NodeJS.ProcessEnv
  flags: Record<string, string | undefined>
  plugins: readonly SettingsSection[]
}) {
  const schema = configSchema(plugins)
  const leaves = listLeaves(schema)
  const { plugins: section } = schema.properties as Record<string, JSONSchema>
  const sections = section!.properties as Record<string, JSONSchema>
  const values: Record<string, unknown> = structuredClone(file)
  const layers = new Map<ConfigLeaf, Layer>()
  for (const leaf of leaves) {
    const layer = layerOf(leaf, env, flags)
    if (!layer) continue
    layers.set(leaf, layer)
    assign(values, leaf.path, parseText(leaf, layer))
  }
  fillSections(values, schema)
  try {
    deferSchema(relevantSchema(schema, values), 'json')(values)
  } catch (error) {
    throw new ConfigError(explain((error as AppError).details.issues as Issue[], leaves))
  }
  fillDefaults(values, schema)
  return {
    values: values as unknown as KernelConfig,
    /** A sentence for each variable that looks like ours and sets nothing. */
    strayVariables: findStray(env, leaves),
    /** Returns the schema of the section of a plugin or folder; undefined if none has the name. */
    sectionOf: (name: string): JSONSchema | undefined => sections[name],
    /** Lists every key with its value and its origin. */
    rows: (): ConfigRow[] =>
      leaves.map((leaf) => {
        const value = lookUp(values, leaf.path)
        const source =
          layers.get(leaf)?.source ?? (lookUp(file, leaf.path) === undefined ? 'default' : 'config.json')
        return {
          key: leaf.path.join('.'),
          value: leaf.schema.writeOnly && value !== undefined ? MASK : value,
          source,
          env: leaf.schema.env as string | undefined,
        }
      }),
  }
}

/** Variables that no configuration key names. */
const OTHER_VARIABLES = [
  'SVC_HOME',
  'SVC_URL',
  'SVC_API_KEY',
  'SVC_PASSWORD',
  'SVC_BACKUP_PASSPHRASE',
  'SVC_BACKUP_PASSPHRASE_FILE',
  'SVC_SUPERVISED',
]

function findStray(env: NodeJS.ProcessEnv, leaves: readonly ConfigLeaf[]): string[] {
  const variables = [...OTHER_VARIABLES, ...leaves.flatMap(({ schema }) => variablesOf(schema))]
  return Object.keys(env)
    .filter((name) => /^SVC_(?!TEST_)/.test(name) && !variables.includes(name))
    .map((name) => `the variable ${name} sets nothing; did you mean ${closest(name, variables)}?`)
}

/** Lists the variables that set a leaf. A secret can also come from the file that `<variable>_FILE` names. */
const variablesOf = ({ env, writeOnly }: JSONSchema): string[] =>
  env ? [env as string, ...(writeOnly ? [`${env}_FILE`] : [])] : []

function layerOf(
  { schema }: ConfigLeaf,
  env: NodeJS.ProcessEnv,
  flags: Record<string, string | undefined>,
): Layer | undefined {
  const { flag } = schema as { flag?: string }
  const flagged = flag && flags[flag]
  if (flagged !== undefined && flagged !== '') return { source: `flag --${flag}`, text: flagged }
  const [variable, other] = variablesOf(schema).filter((name) => env[name])
  if (!variable) return undefined
  if (other) throw new ConfigError(`${variable} and ${other} are both set; keep one of them`)
  const isFile = variable !== schema.env
  return { source: `env ${variable}`, text: isFile ? readSecretFile(variable, env) : env[variable]! }
}

/** Reads the first line of the file that a variable names. Throws one sentence if the file cannot be read or is empty. */
function readSecretFile(variable: string, env: NodeJS.ProcessEnv): string {
  const path = env[variable]!
  let line: string
  try {
    line = readFileSync(path, 'utf8').split(/\r?\n/)[0]!
  } catch (error) {
    throw new ConfigError(`the file of ${variable} cannot be read: ${(error as Error).message}`)
  }
  if (line === '') throw new ConfigError(`the file of ${variable}, ${path}, begins with an empty line`)
  return line
}

const BOOLEANS: Record<string, boolean> = {
  1: true,
  true: true,
  yes: true,
  on: true,
  0: false,
  false: false,
  no: false,
  off: false,
}

function parseText({ path, schema }: ConfigLeaf, { source, text }: Layer): unknown {
  const wrong = (expected: string) => new ConfigError(`${path.join('.')} (${source}) must be ${expected}`)
  if (schema.type === 'boolean') {
    const value = BOOLEANS[text.trim().toLowerCase()]
    if (value === undefined) throw wrong('true or false (or 1, 0, yes, no, on, off)')
    return value
  }
  const parsed = {
    value:
      schema.type === 'array'
        ? text
            .split(',')
            .map((part) => part.trim())
            .filter(Boolean)
        : text,
  }
  try {
    textCheckOf(schema)(parsed)
  } catch (error) {
    const [issue] = (error as AppError).details.issues as Issue[]
    throw new ConfigError(`${path.join('.')} (${source}) ${issue!.message}`)
  }
  return parsed.value
}

const textChecks = new WeakMap<JSONSchema, Validator>()

/** The check of one leaf's text, compiled once for all configurations of this process. */
function textCheckOf(schema: JSONSchema): Validator {
  const check =
    textChecks.get(schema) ?? deferSchema({ type: 'object', properties: { value: schema } }, 'text')
  textChecks.set(schema, check)
  return check
}

const propertiesOf = ({ properties = {} }: JSONSchema) =>
  Object.entries(properties as Record<string, JSONSchema>)
const isSection = ({ type, additionalProperties }: JSONSchema) =>
  type === 'object' && additionalProperties === false
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds missing sections as empty objects. */
function fillSections(values: Record<string, unknown>, schema: JSONSchema): void {
  for (const [name, child] of propertiesOf(schema)) {
    if (!isSection(child)) continue
    values[name] ??= {}
    if (isObject(values[name])) fillSections(values[name], child)
  }
}

/** Returns the part of a schema that concerns these values, because compiling the whole takes a quarter of a start. */
function relevantSchema(schema: JSONSchema, values: unknown): JSONSchema {
  if (!isSection(schema) || !isObject(values)) return schema
  const required = (schema.required ?? []) as string[]
  if (required.length === 0 && Object.keys(values).length === 0) return {}
  const relevant = propertiesOf(schema).filter(
    ([name]) => Object.hasOwn(values, name) || required.includes(name),
  )
  const properties = Object.fromEntries(
    relevant.map(([name, child]) => [name, relevantSchema(child, values[name])]),
  )
  return { ...schema, properties }
}

/** Fills in the defaults of missing settings. */
function fillDefaults(values: Record<string, unknown>, schema: JSONSchema): void {
  for (const [name, child] of propertiesOf(schema)) {
    if (values[name] === undefined && child.default !== undefined)
      values[name] = structuredClone(child.default)
    if (isObject(values[name])) fillDefaults(values[name], child)
  }
}

function assign(target: Record<string, unknown>, path: string[], value: unknown): void {
  const [name, ...innerPath] = path as [string, ...string[]]
  if (innerPath.length === 0) {
    target[name] = value
    return
  }
  target[name] ??= {}
  // A value in the place of a section stays, so that validation refuses it.
  if (typeof target[name] === 'object') assign(target[name] as Record<string, unknown>, innerPath, value)
}

const lookUp = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value)

function explain([issue]: Issue[], leaves: ConfigLeaf[]): string {
  const key = issue!.path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  if (issue!.rule !== 'additionalProperties') return `${key} ${issue!.message}`
  const keys = leaves.map(({ path }) => path.join('.'))
  const nearest = closest(
    key,
    [...keys, ...keys.map((name) => name.split('.').slice(0, -1).join('.'))].filter(Boolean),
  )
  return `the configuration has no key "${key}"; did you mean "${nearest}"?`
}
