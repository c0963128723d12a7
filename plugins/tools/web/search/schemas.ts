import { nullable, objectOf, rowOf, SEARCH_AGES, type TypeOf } from '#plugin-api'

const kind = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'One of `GET /admin/web-search/kinds`',
  examples: ['searxng'],
} as const
const label = { type: 'string', description: 'The name of the engine', examples: ['SearXNG'] } as const
const price = {
  ...nullable({ type: 'number', minimum: 0, maximum: 1000, examples: [0.005] } as const),
  description: 'The price of a search in the currency of the server; null if searches are not charged',
} as const
const per_day = {
  ...nullable({ type: 'integer', minimum: 1, maximum: 1_000_000, examples: [100] } as const),
  description: 'The most searches of an account in a UTC day; null for no limit',
} as const

/** The settings of an engine; the fields that its schema describes lie beside `kind`. */
const engineRow = {
  title: 'SearchEngineSettings',
  type: 'object',
  properties: { kind, label, price },
  required: ['kind', 'label', 'price'],
  additionalProperties: true,
  description: 'With the settings that `config_schema` of its kind describes; secrets are masked',
  examples: [{ kind: 'brave', label: 'Brave Search', price: 0.005, api_key: '••••1234' }],
} as const

const sentEngine = {
  title: 'SearchEngineEntry',
  type: 'object',
  properties: { kind, label: { ...label, maxLength: 200, description: 'Ignored' }, price },
  required: ['kind'],
  additionalProperties: true,
  maxProperties: 64,
  description:
    'With the settings that `config_schema` of its kind describes. A secret that is left out or masked stays as it is, as long as the address is the same; null removes a setting',
  examples: [{ kind: 'brave', price: 0.005, api_key: 'BSA-example-0123456789' }],
} as const

/** The settings of web search. */
export const searchSettings = {
  title: 'WebSearchSettings',
  ...rowOf({
    engines: {
      type: 'array',
      items: engineRow,
      description: 'In the order in which they are asked; empty if agents cannot search',
    },
    per_day,
  }),
} as const

/** The settings as an administrator sends them. */
export const newSearchSettings = objectOf(
  {
    engines: {
      type: 'array',
      items: sentEngine,
      maxItems: 32,
      description: 'In the order in which they are asked; each kind at most once',
    },
    per_day: { ...per_day, description: `${per_day.description}. It stays as it is if it is left out` },
  },
  ['engines'],
)

/** A kind of search engines. */
export const engineKindRow = {
  title: 'SearchEngineKind',
  ...rowOf({
    kind,
    label,
    config_schema: {
      type: 'object',
      description: 'The JSON Schema of its settings; secrets are marked `writeOnly`',
    },
  }),
} as const

/** The body of a test. */
export const searchTest = objectOf(
  {
    query: { type: 'string', minLength: 1, maxLength: 400, pattern: '\\S', examples: ['node.js releases'] },
    kind: {
      ...kind,
      description: 'The only engine to ask; without it, all that are set are asked in their order',
    },
  },
  ['query'],
)

const result = {
  title: 'WebSearchResult',
  ...rowOf(
    {
      title: { type: 'string', examples: ['Node.js — Releases'] },
      url: { type: 'string', examples: ['https://nodejs.org/en/about/previous-releases'] },
      snippet: { type: 'string', examples: ['Major Node.js versions enter Current release status …'] },
      published_at: {
        type: 'string',
        description: 'The date of the page, if the engine states it',
        examples: ['2026-04-21'],
      },
    },
    ['published_at'],
  ),
} as const

/** The reply of a test. */
export const searchTestReply = {
  title: 'WebSearchTest',
  ...rowOf({
    kind: { ...kind, description: 'The engine that answered' },
    ms: {
      type: 'integer',
      minimum: 0,
      description: 'Milliseconds until the answer of that engine',
      examples: [412],
    },
    results: { type: 'array', items: result },
  }),
} as const

/** The settings of web search as the API shows them. */
export type SearchSettingsRow = TypeOf<typeof searchSettings>
export type NewSearchSettings = TypeOf<typeof newSearchSettings>

/** The input of the tool. */
export const webSearchInput = objectOf(
  {
    query: {
      type: 'string',
      minLength: 1,
      maxLength: 400,
      pattern: '\\S',
      description: 'A few words to search for, as a person would type them into a search box.',
    },
    count: { type: 'integer', minimum: 1, maximum: 10, description: 'The most results. Default: 5.' },
    freshness: {
      enum: SEARCH_AGES,
      description: 'Only pages of at most this age. Leave it out unless the age matters.',
    },
  },
  ['query'],
)
