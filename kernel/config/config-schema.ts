import { type JSONSchema, objectOf } from '../schema.ts'
import { type LimitSettings, type LimitSpec, limitsSchema } from '../security/limits.ts'

const diskSize = { type: 'string', pattern: '^\\d{1,9}(b|kb|mb|gb|tb)$', examples: ['512mb', '2gb'] }

/**
 * The settings of the kernel itself; each leaf may name the variable (`env`) and the flag that set it. `operator` marks a
 * setting of a plugin that only who runs the server may change, not its administrators over the API.
 */
const kernelProperties = (limits: Readonly<Record<string, LimitSpec>>) => ({
  http: objectOf({
    host: { type: 'string', default: '127.0.0.1', env: 'SVC_HOST', flag: 'host' },
    port: { type: 'integer', minimum: 0, maximum: 65535, default: 8088, env: 'SVC_PORT', flag: 'port' },
    public_url: {
      type: 'string',
      format: 'url',
      pattern: '^https?://',
      examples: ['https://agents.example.com'],
      env: 'SVC_PUBLIC_URL',
    },
    trust_proxy: { type: 'boolean', default: false, env: 'SVC_TRUST_PROXY' },
    cors_origins: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_CORS_ORIGINS' },
    body_limit: {
      type: 'string',
      pattern: '^\\d{1,9}(b|kb|mb)?$',
      examples: ['512kb', '2mb'],
      default: '1mb',
      env: 'SVC_BODY_LIMIT',
    },
  }),
  database: objectOf({
    url: {
      type: 'string',
      pattern: '^mongodb(\\+srv)?://',
      examples: ['mongodb://db.example.com/svc'],
      env: 'SVC_DATABASE_URL',
      writeOnly: true,
    },
  }),
  disk: objectOf({
    warn_below: { ...diskSize, default: '1gb', env: 'SVC_DISK_WARN_BELOW' },
    stop_below: { ...diskSize, default: '64mb', env: 'SVC_DISK_STOP_BELOW' },
  }),
  log: objectOf({
    level: {
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      env: 'SVC_LOG_LEVEL',
      flag: 'log-level',
    },
  }),
  limits: limitsSchema(limits),
  enable_api_docs: { type: 'boolean', default: false, env: 'SVC_ENABLE_API_DOCS' },
  packages: { type: 'array', items: { type: 'string' }, default: [] },
})

/** The hosts besides public ones that `host.fetch` of a plugin from outside may reach. */
export const fetchSettings: Readonly<Record<string, JSONSchema>> = {
  allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
}

/** The part of the configuration that the kernel reads. */
export interface KernelConfig {
  http: {
    host: string
    port: number
    public_url?: string
    trust_proxy: boolean
    cors_origins: string[]
    body_limit: string
  }
  database: { url?: string }
  disk: { warn_below: string; stop_below: string }
  log: { level: string }
  limits: LimitSettings
  enable_api_docs: boolean
  packages: string[]
  plugins: Record<string, { enabled: boolean; required: boolean } & Record<string, unknown>>
}

/** The settings of a plugin or of a folder of an extension point. */
export interface SettingsSection {
  name: string
  isBuiltIn: boolean
  config?: Readonly<Record<string, JSONSchema>>
  limits?: Readonly<Record<string, LimitSpec>>
}

/** The one schema of the whole configuration: the kernel's keys and a section for each plugin and folder. */
export function configSchema(plugins: readonly SettingsSection[]): JSONSchema {
  const sections = plugins.map(({ name, isBuiltIn, config = {} }) => [
    name,
    objectOf({
      enabled: { type: 'boolean', default: true },
      // Built-in plugins are always required.
      ...(!isBuiltIn && { required: { type: 'boolean', default: false } }),
      ...config,
    }),
  ])
  // Built-in plugins come last, so that others cannot redefine their limits.
  const limits = Object.assign({}, ...[...plugins].sort(byOrigin).map(({ limits }) => limits))
  return objectOf({
    ...kernelProperties(limits),
    plugins: objectOf(Object.fromEntries(sections)),
  })
}

const byOrigin = (one: SettingsSection, other: SettingsSection) =>
  Number(one.isBuiltIn) - Number(other.isBuiltIn)

/** One key of the configuration. */
export interface ConfigLeaf {
  path: string[]
  schema: JSONSchema
}

/** Every key that a schema knows, with its path from the top. */
export function listLeaves(schema: JSONSchema, path: string[] = []): ConfigLeaf[] {
  const properties = schema.properties as Record<string, JSONSchema> | undefined
  if (!properties || schema.additionalProperties !== false) return [{ path, schema }]
  return Object.entries(properties).flatMap(([name, child]) => listLeaves(child, [...path, name]))
}

/** Accepts the numbers and texts among the limits in the file, any of which may belong to a broken plugin. */
export function acceptLimits({ limits }: Record<string, unknown>): Record<string, LimitSpec> {
  return Object.fromEntries(
    Object.entries(Object(limits)).flatMap(([name, value]) =>
      typeof value === 'number' || typeof value === 'string'
        ? [[name, { default: value, description: 'A limit of a plugin that cannot be loaded' }]]
        : [],
    ),
  )
}

/** Accepts, and masks, the settings in the file of a plugin that could not be loaded, so that they do not stop the start. */
export function acceptSettings(
  { plugins }: Record<string, unknown>,
  name: string,
): Record<string, JSONSchema> {
  const { enabled, required, ...settings } = Object((plugins as Record<string, unknown> | undefined)?.[name])
  return Object.fromEntries(Object.keys(settings).map((key) => [key, { writeOnly: true }]))
}
