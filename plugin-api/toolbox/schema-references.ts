import type { Json } from './json-object.ts'
import { decodePercent } from './text.ts'

/** The most characters of a reference that is followed. */
const MAX_REFERENCE_CHARS = 1024
/** The most objects and lists that are searched for named schemas. */
const MAX_SEARCHED = 20_000
/** The address of a schema that has none. */
const BASE = 'schema:///'

/** The schemas within a schema that references name. */
interface NamedSchemas {
  /** By their addresses, as they are written and as they are resolved. */
  byAddress: Map<string, unknown>
  byAnchor: Map<string, unknown>
  /** The definitions of all levels, by their own names. */
  byName: Map<string, unknown>
}

/**
 * Creates the search for the schemas that references in a schema name: JSON pointers, also with escapes, anchors, and
 * addresses of schemas within it. A definition that is not where its reference says is found by its name.
 */
export function createReferenceSearch(root: unknown): (reference: string) => unknown {
  let index: NamedSchemas | undefined
  return (reference) => {
    if (reference.length > MAX_REFERENCE_CHARS) return undefined
    const [address = '', ...parts] = reference.split('#')
    const fragment = parts.join('#')
    const target = address === '' ? followPointer(root, fragment) : undefined
    if (target !== undefined) return target
    index ??= indexSchemas(root)
    const { byAddress, byAnchor, byName } = index
    const schema = byAddress.get(address) ?? byAddress.get(resolve(address, addressOf(root, BASE)))
    return (
      (schema === undefined ? undefined : followPointer(schema, fragment)) ??
      byAnchor.get(decodePercent(fragment)) ??
      [[decodePercent(address)], ...listPointers(fragment)]
        .map((names) => byName.get(names.at(-1)!))
        .find((definition) => definition !== undefined)
    )
  }
}

function followPointer(root: unknown, pointer: string): unknown {
  if (pointer === '') return root
  return listPointers(pointer)
    .map((names) => names.reduce(readMember, root))
    .find((target) => target !== undefined)
}

const readMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Json)[name]
    : undefined

/** Returns the names of a JSON pointer in an address: writers encode the whole pointer, each of its names, or nothing. */
function listPointers(pointer: string): string[][] {
  if (!pointer.startsWith('/')) return []
  const split = (text: string) => text.split('/').slice(1)
  const readName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')
  const names = split(pointer)
  return [
    split(decodePercent(pointer)).map(readName),
    names.map((name) => readName(decodePercent(name))),
    names.map(readName),
    names,
  ]
}

/** Searches a schema for the schemas with an address, an anchor or a name of their own. */
function indexSchemas(root: unknown): NamedSchemas {
  const byAddress = new Map<string, unknown>([['', root]])
  const byAnchor = new Map<string, unknown>()
  const byName = new Map<string, unknown>()
  const add = (map: Map<string, unknown>, name: string, schema: unknown) => {
    if (!map.has(name)) map.set(name, schema)
  }
  const queue = [{ value: root, base: BASE }]
  for (let index = 0; index < queue.length && index < MAX_SEARCHED; index += 1) {
    const { value, base: outer } = queue[index]!
    if (typeof value !== 'object' || value === null) continue
    const schema = value as Json
    const base = addressOf(schema, outer)
    for (const id of [schema.$id, schema.id])
      if (typeof id === 'string' && id.startsWith('#')) add(byAnchor, id.slice(1), schema)
      else if (typeof id === 'string') for (const address of [base, id]) add(byAddress, address, schema)
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor])
      if (typeof anchor === 'string') add(byAnchor, anchor, schema)
    for (const keyword of ['$defs', 'definitions'])
      for (const [name, definition] of Object.entries(Object(schema[keyword]))) add(byName, name, definition)
    for (const part of Object.values(schema)) queue.push({ value: part, base })
  }
  return { byAddress, byAnchor, byName }
}

/** Returns the address of a schema within a schema with this address. */
function addressOf(schema: unknown, outer: string): string {
  const { $id, id } = Object(schema) as Json
  const address = [$id, id].find((value) => typeof value === 'string')
  return address === undefined ? outer : resolve(address as string, outer).split('#')[0]!
}

/** Resolves an address; one that is malformed stays as it is. */
const resolve = (address: string, base: string): string =>
  URL.canParse(address, base) ? new URL(address, base).href : address
