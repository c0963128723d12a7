import type { ModelRequest } from './fixture-upstream.ts'
import type { RequestTool } from './request-entries.ts'

// biome-ignore lint/suspicious/noExplicitAny: any part of a JSON schema
type Schema = any

/** The names of tools that each protocol accepts. */
const NAMES: Record<ModelRequest['wire'], RegExp> = {
  chat: /^[a-zA-Z0-9_-]{1,64}$/,
  responses: /^[a-zA-Z0-9_-]{1,64}$/,
  messages: /^[a-zA-Z0-9_-]{1,128}$/,
  converse: /^[a-zA-Z0-9_-]{1,64}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  ollama: /^\S+$/,
}

const COMBINATIONS = ['oneOf', 'anyOf', 'allOf']

/** Returns what a vendor refuses in the tools of a request. */
export function findToolFaults(wire: ModelRequest['wire'], tools: readonly RequestTool[]): string[] {
  const names = tools.map(({ name }) => name)
  const doubled = names.filter((name, index) => names.indexOf(name) !== index)
  return [
    ...doubled.map((name) => `two tools are called ${name}`),
    ...names.flatMap((name) => (NAMES[wire].test(name) ? [] : `a tool is called ${name}`)),
    ...tools.flatMap(({ name, schema }) =>
      findSchemaFaults(wire, schema).map((fault) => `the schema of ${name}${fault}`),
    ),
  ]
}

function findSchemaFaults(wire: ModelRequest['wire'], schema: Schema): string[] {
  // Gemini takes no schema for a tool without parameters.
  if (schema === undefined) return wire === 'gemini' ? [] : [' is missing']
  const faults: string[] = []
  if (wire !== 'gemini' && schema.type !== 'object') faults.push(` has the type ${schema.type}`)
  if (['messages', 'converse', 'responses', 'chat'].includes(wire))
    faults.push(...COMBINATIONS.filter((word) => word in schema).map((word) => ` has ${word} at its top`))
  walk(schema, '', (part, path) => {
    const has = (word: string) => part[word] !== undefined
    const isArray = part.type === 'array' || part.type === 'ARRAY'
    if (isArray && !has('items') && wire !== 'ollama') faults.push(`${path} is an array without items`)
    if (wire === 'messages')
      for (const key of Object.keys(part.properties ?? {}))
        if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) faults.push(`${path} has the property "${key}"`)
    if (wire !== 'gemini') return
    const isObject = part.type === 'object' || part.type === 'OBJECT'
    if (has('properties') && !isObject) faults.push(`${path} has properties and the type ${part.type}`)
    for (const name of part.required ?? [])
      if (!(name in (part.properties ?? {})))
        faults.push(`${path} requires "${name}", which it does not have`)
    if (part.enum?.some((value: unknown) => value === '' || typeof value !== 'string'))
      faults.push(`${path} has the enum ${JSON.stringify(part.enum)}`)
    for (const word of [
      'oneOf',
      'allOf',
      '$ref',
      '$defs',
      'patternProperties',
      'const',
      'additionalProperties',
    ])
      if (has(word)) faults.push(`${path} has ${word}`)
    if (!has('type') && !has('anyOf')) faults.push(`${path} has no type`)
    if (Array.isArray(part.type)) faults.push(`${path} has several types`)
  })
  return faults
}

/** Visits a schema and each schema within it. */
function walk(schema: Schema, path: string, visit: (part: Schema, path: string) => void): void {
  if (typeof schema !== 'object' || schema === null) return
  visit(schema, path)
  for (const [name, part] of Object.entries(schema.properties ?? {})) walk(part, `${path}.${name}`, visit)
  if (schema.items) walk(schema.items, `${path}[]`, visit)
  for (const word of COMBINATIONS)
    for (const [index, part] of (schema[word] ?? []).entries()) walk(part, `${path}.${word}.${index}`, visit)
}
