/** The API key of an engine. */
const apiKey = {
  type: 'string',
  title: 'API key',
  minLength: 1,
  maxLength: 512,
  // It is sent in a header.
  pattern: '^[\\x21-\\x7e]+$',
  writeOnly: true,
} as const

/** The address of an engine: without credentials, a query or a fragment. */
export const address = {
  type: 'string',
  title: 'Address',
  format: 'url',
  pattern: '^https?://[^/?#@]+(/[^?#]*)?$',
  maxLength: 2048,
} as const

/** The schema of an engine at an address of its vendor, which a proxy may take the place of. */
export const keyedSchema = <const Address extends string>(base_url: Address) =>
  ({
    type: 'object',
    properties: {
      api_key: apiKey,
      base_url: {
        ...address,
        description: 'The address of the API, for a proxy or a compatible service',
        default: base_url,
        examples: [base_url],
      },
    },
    required: ['api_key'],
    additionalProperties: false,
  }) as const

/** Returns an address below that of the settings. */
export const below = (base_url: string | undefined, path: string): URL =>
  new URL(`${base_url?.replace(/\/+$/, '')}${path}`)
