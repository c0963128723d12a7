import type { NamedObject } from '#plugin-api'
import type { AuditDocument } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** Finds the objects of rows. */
export type ObjectNames = ReturnType<typeof createObjectNames>

const ID = /^(?:[a-z]+_)?[0-9A-HJKMNP-TV-Z]{26}$/
/** The fields of a payload that name the object of a row; titles of conversations are private. */
const NAME_FIELDS = ['name', 'path', 'filename', 'username']

/** Creates the finder: plugins know the names of what exists, and rows keep the names of what was deleted. */
export function createObjectNames({ extensions }: Pick<Cradle, 'extensions'>) {
  return {
    /** Returns the names of the objects of rows, in the same order; null if a name is not known. */
    async find(rows: readonly AuditDocument[]): Promise<{ object: string | null; object_exists: boolean }[]> {
      const ids = new Set(rows.flatMap(({ target }) => partsOf(target).filter((part) => ID.test(part))))
      const answers = ids.size > 0 ? await extensions['audit.names'].ask({ ids: [...ids] }) : []
      const objects = new Map(answers.flatMap((answer) => answer ?? []).map((object) => [object.id, object]))
      return rows.map((row) => nameObject(row, objects))
    },
  }
}

const partsOf = (target: string | null): string[] => target?.split('/') ?? []

/** Names what a target leads through, such as an agent, and then the object: as it is called now, or by the row. */
function nameObject({ action, target, payload }: AuditDocument, objects: ReadonlyMap<string, NamedObject>) {
  const parts = partsOf(target)
  const path = parts.flatMap((part) => objects.get(part)?.name ?? (ID.test(part) ? [] : part))
  const last = parts.at(-1)
  const isObject = last !== undefined && objects.get(last)?.kind === action.split('.')[0]
  const isNamed = isObject || (last !== undefined && !ID.test(last))
  const ownName = isNamed || payload === null ? null : readName(payload)
  const names = ownName === null ? path : [...path, ownName]
  return { object: names.join(' / ') || null, object_exists: isObject }
}

/** Reads the name in a payload; null if there is none, also because somebody tampered with the payload. */
function readName(payload: string): string | null {
  let content: unknown
  try {
    content = JSON.parse(payload)
  } catch {
    return null
  }
  if (typeof content !== 'object' || content === null) return null
  const fields = content as Record<string, unknown>
  const name = NAME_FIELDS.map((field) => fields[field]).find(
    (value) => typeof value === 'string' && value !== '',
  )
  return (name as string | undefined) ?? null
}
