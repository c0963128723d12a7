type Json = Record<string, unknown>

/** Creates a value that a schema admits: its first example if it has one, otherwise one made from its keywords. */
export function createExample(schema: unknown, options: { isRequest?: boolean } = {}): unknown {
  return exampleOf(schema, '', options.isRequest ?? false)
}

function exampleOf(schema: unknown, name: string, isRequest: boolean): unknown {
  const { examples, enum: values, oneOf, anyOf, ...base } = Object(schema) as Json
  if (Array.isArray(examples)) return examples[0]
  if ('const' in base) return base.const
  if ('default' in base) return base.default
  if (Array.isArray(values)) return values[0]
  const members = (oneOf ?? anyOf) as unknown[] | undefined
  if (!members) return exampleOfType(base, name, isRequest)
  const member = members.find((one) => (one as Json).type !== 'null')
  // The members of a union add requirements to the schema around it.
  return exampleOf(merge(base, member as Json), name, isRequest)
}

const merge = (base: Json, member: Json): Json => ({
  ...base,
  ...member,
  properties: { ...(base.properties as Json), ...(member.properties as Json) },
  required: [...((base.required as string[]) ?? []), ...((member.required as string[]) ?? [])],
})

function exampleOfType(schema: Json, name: string, isRequest: boolean): unknown {
  const [type] = [schema.type].flat().filter((one) => one !== 'null')
  switch (type) {
    case 'object':
      return exampleOfObject(schema, isRequest)
    case 'array':
      return schema.maxItems === 0 || !schema.items ? [] : [exampleOf(schema.items, name, isRequest)]
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return Math.max((schema.minimum as number) ?? 0, name.endsWith('_at') ? EXAMPLE_SECONDS : 1)
    case 'string':
      return (
        FORMATS[schema.format as string] ??
        (name === 'id' || name.endsWith('_id') ? EXAMPLE_ID : name || 'text')
      )
    default:
      return type === 'null' || schema.type === 'null' ? null : {}
  }
}

/** Shows of a request only the required fields, and fields with an example. */
function exampleOfObject(schema: Json, isRequest: boolean): Json {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Json
    required?: string[]
    additionalProperties?: unknown
  }
  const shown = Object.entries(properties).filter(
    ([name, property]) => !isRequest || required.includes(name) || 'examples' in Object(property),
  )
  const fields = shown.map(([name, property]) => [name, exampleOf(property, name, isRequest)])
  if (fields.length > 0 || typeof additionalProperties !== 'object') return Object.fromEntries(fields)
  return { name: exampleOf(additionalProperties, 'name', isRequest) }
}

/** 2026-01-01T00:00:00Z. */
const EXAMPLE_SECONDS = 1_767_225_600
const EXAMPLE_ID = '01KDVMF00000000000000000AG'
const FORMATS: Record<string, string> = {
  url: 'https://example.com',
  uri: 'https://example.com',
  email: 'ada@example.com',
  binary: '',
}
