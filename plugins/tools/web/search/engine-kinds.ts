import {
  type AnyConfig,
  AppError,
  closedSchema,
  compileFor,
  compileSchema,
  createConfigCheck,
  createFormCheck,
  deferSchema,
  type JSONSchema,
  type Locale,
  listSecretFields,
  localizedText,
  placeOf,
  SEARCH_FAILURES,
  type SearchEngine,
} from '#plugin-api'
import type { Cradle } from '../manifest.ts'

/** The most bytes of the settings of an engine as JSON. */
const MAX_CONFIG_BYTES = 16 * 1024

/** The names of fields that each row of the settings has beside the settings of its engine. */
const ROW_FIELDS = ['kind', 'label', 'price']

const assertForm = createFormCheck<SearchEngine>(
  {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$' },
      label: localizedText,
      config_schema: closedSchema,
      guidance: {
        type: 'object',
        propertyNames: { enum: SEARCH_FAILURES },
        additionalProperties: localizedText,
      },
      search: true,
    },
    required: ['name', 'label', 'config_schema', 'search'],
    additionalProperties: false,
  },
  ['search'],
)

/** Checks the form and the schema of a search engine that a plugin registers. */
export function assertSearchEngine(candidate: unknown): SearchEngine {
  const subject = `search engine "${(candidate as { name?: unknown } | null)?.name}"`
  const engine = assertForm(candidate, subject)
  const field = ROW_FIELDS.find((name) => name in (engine.config_schema.properties as object))
  if (field) throw new Error(`${subject} is not valid: "${field}" is the name of a field beside its settings`)
  compileFor(subject, () => compileSchema(engine.config_schema, 'json'))
  return engine
}

/** A search engine with the checks of its settings. */
export type KnownEngine = ReturnType<typeof complete>

/** The registered search engines. */
export type EngineKinds = ReturnType<typeof createEngineKinds>

/** Creates the view of the registry of engines. */
export function createEngineKinds({ extensions }: Pick<Cradle, 'extensions'>) {
  const completed = new WeakMap<SearchEngine, KnownEngine>()
  const find = (name: string): KnownEngine | undefined => {
    const engine = extensions['web.search_engines'].get(name)
    if (!engine) return undefined
    const full = completed.get(engine) ?? complete(engine)
    completed.set(engine, full)
    return full
  }
  return {
    find,
    /** Throws SEARCH_ENGINE_UNSUPPORTED for an engine that is not registered. */
    get(kind: string): KnownEngine {
      const engine = find(kind)
      if (!engine) throw new AppError('SEARCH_ENGINE_UNSUPPORTED', { kind })
      return engine
    },
    /** Lists the engines as clients see them, in the order in which they were registered. */
    list: (locale: Locale) =>
      extensions['web.search_engines'].list().map(({ name, label, config_schema }) => ({
        kind: name,
        label: label[locale],
        config_schema,
      })),
  }
}

function complete(engine: SearchEngine) {
  const { config_schema } = engine
  const properties = config_schema.properties as Record<string, JSONSchema>
  const addresses = Object.keys(properties).filter((name) => properties[name]!.format === 'url')
  const fill = deferSchema<AnyConfig>(config_schema, 'json')
  const addressesIn = (config: AnyConfig): unknown[] =>
    addresses.map((name) => config[name] ?? properties[name]!.default)
  return {
    ...engine,
    /** The names of the fields that are sealed. */
    secret_fields: listSecretFields(config_schema),
    /** Throws VALIDATION_FAILED with paths in the config. */
    assertValid: createConfigCheck(config_schema, { path: '', max_bytes: MAX_CONFIG_BYTES }),
    /** Returns the settings with their defaults. Throws VALIDATION_FAILED if a newer schema does not accept them. */
    withDefaults(config: AnyConfig): AnyConfig {
      const filled = structuredClone(config)
      fill(filled)
      return filled
    },
    /** Returns the hosts that the settings name. */
    hostsIn: (config: AnyConfig): string[] =>
      addressesIn(config).flatMap((address) =>
        typeof address === 'string' && URL.canParse(address) ? [new URL(address).hostname] : [],
      ),
    /** Returns the places that secrets of the settings are sent to. */
    placesIn: (config: AnyConfig): unknown[] => addressesIn(config).map(placeOf),
  }
}
