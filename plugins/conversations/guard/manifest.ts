import { type Cradle as CradleOf, defineManifest } from '#plugin-api'
import { MAX_PATTERN_CHARS } from './own-rules.ts'

/** The actions for hits of a rule, besides `off`. */
const ACTIONS = ['warn', 'redact', 'block'] as const

/** The most own rules. */
const MAX_OWN_RULES = 32

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'guard',
  summary: 'Finds keys, card numbers and patterns of your own in conversations; off unless it is enabled',
  depends: ['chat'],
  config: {
    enabled: { type: 'boolean', default: false },
    rules: {
      type: 'object',
      default: {},
      properties: {
        keys: { enum: [...ACTIONS, 'off'], default: 'redact' },
        cards: { enum: [...ACTIONS, 'off'], default: 'redact' },
        own: {
          type: 'array',
          default: [],
          maxItems: MAX_OWN_RULES,
          items: {
            type: 'object',
            properties: {
              name: { type: 'string', pattern: '^[a-z0-9][a-z0-9 _-]{0,39}$' },
              pattern: { type: 'string', minLength: 1, maxLength: MAX_PATTERN_CHARS },
              action: { enum: ACTIONS },
            },
            required: ['name', 'pattern', 'action'],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    directions: { enum: ['request', 'reply', 'both'], default: 'both' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    guard: typeof manifest
  }
}

/** The cradle that the factories and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
