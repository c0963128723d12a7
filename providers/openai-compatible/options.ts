import type { ConfigOf, JSONSchema, ProviderConnection } from '#plugin-api'

/** Headers about a connection or the form of a body, which only the HTTP client may set. */
const NAMES = [
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Matches a letter in either case, since patterns in JSON Schema have no flags. */
const eitherCase = (letter: string) => `[${letter}${letter.toUpperCase()}]`

/** The pattern of the names of these headers. */
const connectionHeader = `^(${NAMES.join('|').replace(/[a-z]/g, eitherCase)})$`

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    headers: {
      type: 'object',
      description: 'Headers sent with every request, e.g. those that a gateway requires.',
      propertyNames: { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$" },
      patternProperties: { [connectionHeader]: false },
      additionalProperties: { type: 'string', maxLength: 2048, pattern: '^[\\t\\x20-\\x7e]*$' },
      maxProperties: 16,
      // A gateway's headers often carry a credential.
      writeOnly: true,
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/** A connection with these options. */
export type CompatibleConnection = ProviderConnection<ConfigOf<typeof configSchema>>
