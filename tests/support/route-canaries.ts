import type { JSONSchema } from '../../kernel/schema.ts'

/** A value that was sent and must not appear elsewhere. */
interface Canary {
  value: string
  /** The route and the field that it was sent to. */
  sentAs: string
  /**
   * A secret must not appear anywhere; a value that is merely free in form may be returned and stored, but not audited.
   */
  isSecret: boolean
}

const SECRET_NAME = /(^|_)(pass(word|wd|phrase)|secret|token|key|code|credentials?)$/i

/** Shorter values would be found by chance. */
const LEAST_LENGTH = 8

/** Creates the values to search for, and the search. */
export function createCanaries(makeSecret: () => string) {
  const canaries: Canary[] = []

  const add = (value: string, sentAs: string, isSecret = true): string => {
    if (value.length < LEAST_LENGTH) throw new Error(`"${value}" is too short to be looked for: ${sentAs}`)
    canaries.push({ value, sentAs, isSecret })
    return value
  }

  /** Lists every text in a value as a canary. */
  const addTexts = (value: unknown, sentAs: string, isSecret: boolean): void => {
    if (typeof value === 'string') add(value, sentAs, isSecret)
    else if (typeof value === 'object' && value !== null)
      for (const [name, field] of Object.entries(value)) addTexts(field, `${sentAs}.${name}`, isSecret)
  }

  const plant = (schema: JSONSchema, value: unknown, sentAs: string, isKnownSecret = false): unknown => {
    const branches = branchesOf(schema).filter((branch) => hasRequired(branch, value))
    const takes = (type: string) => branches.some((branch) => [branch.type].flat().includes(type))
    const isNamedSecret = SECRET_NAME.test(sentAs.slice(sentAs.lastIndexOf('.') + 1))
    const isSecret = isKnownSecret || branches.some(({ writeOnly }) => writeOnly) || isNamedSecret
    const properties = Object.assign({}, ...branches.map((branch) => branch.properties ?? {}))
    if (Object.keys(properties).length > 0) {
      if (value === undefined) return undefined
      const fields = value as Record<string, unknown>
      const planted = Object.entries(properties as Record<string, JSONSchema>).map(([name, field]) => [
        name,
        plant(field, fields[name], `${sentAs}.${name}`, isSecret),
      ])
      return Object.fromEntries(planted.filter(([, field]) => field !== undefined))
    }
    if (takes('object')) {
      const content = value ?? { note: makeSecret() }
      addTexts(content, sentAs, isSecret)
      return content
    }
    if (Array.isArray(value)) {
      const items = branches.find((branch) => branch.items)?.items as JSONSchema
      return value.map((item, index) => plant(items, item, `${sentAs}.${index}`, isSecret))
    }
    const isText = takes('string') && !branches.some((branch) => branch.enum)
    // An example is public, as the API's description shows it.
    const isExample = branches.some(({ examples }) => (examples as unknown[] | undefined)?.includes(value))
    if (isText && isSecret && !isExample) return add(String(value ?? makeSecret()), sentAs)
    return value
  }

  return {
    add,

    /** Fills in every field that may contain a secret or any value; fields that the body has keep their values. */
    plant: (schema: JSONSchema, body: object, sentAs: string) => plant(schema, body, sentAs) as object,

    /** Lists where the values in this text were sent to; optionally only the secret values. */
    find: (text: string, { onlySecret }: { onlySecret: boolean }): string[] =>
      canaries
        .filter(({ value, isSecret }) => (isSecret || !onlySecret) && text.includes(value))
        .map(({ sentAs }) => sentAs),

    /** True if a value is or contains one of them, at any depth. */
    isIn: (value: unknown): boolean => {
      const text = JSON.stringify(value) ?? ''
      return canaries.some((canary) => text.includes(canary.value))
    },
  }
}

/** Lists the top-level fields of a schema whose text is a URL. */
export const urlFieldsOf = (schema: JSONSchema): string[] =>
  Object.entries((schema.properties ?? {}) as Record<string, JSONSchema>).flatMap(([name, field]) =>
    branchesOf(field).some(({ format }) => format === 'url' || format === 'uri') ? [name] : [],
  )

/** True if the present fields of a value do not belong to another branch. */
const hasRequired = ({ required = [] }: JSONSchema, value: unknown) =>
  typeof value !== 'object' ||
  value === null ||
  (required as string[]).every((name) => Object.hasOwn(value, name))

/** Lists a schema and the schemas that it combines. */
const branchesOf = (schema: JSONSchema): JSONSchema[] => [
  schema,
  ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) =>
    ((list ?? []) as JSONSchema[]).flatMap(branchesOf),
  ),
]
