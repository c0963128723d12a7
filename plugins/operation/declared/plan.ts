import { isDeepStrictEqual } from 'node:util'
import type { CheckedObject } from './declared-checks.ts'
import { OBJECT_KINDS, type ObjectKind } from './object-kinds.ts'
import { HIDDEN, type ObjectReader, type StoredObject } from './object-reader.ts'
import type { References } from './references.ts'
import type { Json, ServerApi } from './server-api.ts'

const MAX_COMPARED = 1000
const MAX_SHOWN_CHARS = 60

/** A field of an object that differs from its file. */
export interface FieldChange {
  field: string
  /** The values in words; undefined if they are not shown. */
  shown?: string
}

/** A step of a plan: an object to make or to change. */
export interface PlannedObject {
  object: CheckedObject
  /** Undefined if it is to be made. */
  current?: StoredObject
  /** True if a person has made it, or it was released. */
  isAdopted: boolean
  changes: FieldChange[]
  /** The files of the workspace that the last apply has stored. */
  appliedFiles: readonly string[]
}

/** A managed object that no file declares any more. */
export interface UndeclaredObject {
  kind: ObjectKind
  id: string
  file: string
}

/** The difference between a folder and a server. */
export interface Plan {
  steps: PlannedObject[]
  undeclared: UndeclaredObject[]
  unchanged: number
}

/** Compares valid objects with a server. Adds a line to `problems` for each that cannot be changed so. */
export async function makePlan(
  objects: readonly CheckedObject[],
  parts: { api: ServerApi; reader: ObjectReader; references: References; problems: string[] },
): Promise<Plan> {
  const plan: Plan = { steps: [], undeclared: [], unchanged: 0 }
  for (const kind of OBJECT_KINDS) {
    const declared = objects.filter((object) => object.kind === kind)
    await planKind(kind, declared, plan, parts)
  }
  return plan
}

async function planKind(
  kind: ObjectKind,
  declared: readonly CheckedObject[],
  plan: Plan,
  { api, reader, references, problems }: Parameters<typeof makePlan>[1],
): Promise<void> {
  const managed = await api.list(`/managed?kind=${kind.name}`)
  const idOf = new Map(managed.map(({ file, id }) => [String(file), String(id)]))
  const digests = declared.flatMap((object) => {
    const id = idOf.get(object.file)
    return id === undefined ? [] : [[id, references.digestOf(object)] as const]
  })
  const { unchanged, files } = await compare(kind, digests, api)
  const open = declared.filter(({ file }) => !unchanged.has(idOf.get(file) ?? ''))
  plan.unchanged += declared.length - open.length
  const declaredIds = new Set(unchanged)
  const rows = open.length === 0 ? [] : await reader.listRows(kind)
  for (const object of open) {
    const managedId = idOf.get(object.file)
    const match = rows.find(({ row }) => row.id === managedId) ?? findNamed(object)
    if (!match) {
      plan.steps.push({ object, isAdopted: false, changes: [], appliedFiles: [] })
      continue
    }
    const current = await reader.read(kind, match)
    declaredIds.add(current.id)
    const step = {
      object,
      current,
      isAdopted: match.row.managed_by === null,
      changes: await listChanges(object, current),
      appliedFiles: files[current.id] ?? [],
    }
    for (const { field } of step.changes)
      if (kind.fixed.includes(field) && !kind.hidden?.includes(field))
        problems.push(`${object.placeOf([field])}: ${field} cannot be changed: delete the ${kind.name} first`)
    plan.steps.push(step)
  }
  for (const { id, file } of managed)
    if (!declaredIds.has(String(id))) plan.undeclared.push({ kind, id: String(id), file: String(file) })

  function findNamed({ key, placeOf }: CheckedObject) {
    const named = rows.filter(({ row, agent }) => {
      const form = agent ? { ...row, agent: reader.agentName(agent) } : row
      return kind.keyOf(form) === key
    })
    if (named.length > 1)
      problems.push(`${placeOf(['name'])}: several objects have this name; rename or delete some`)
    return named[0]
  }
}

async function compare(kind: ObjectKind, digests: readonly (readonly [string, string])[], api: ServerApi) {
  const unchanged = new Set<string>()
  const files: Record<string, string[]> = {}
  for (let start = 0; start < digests.length; start += MAX_COMPARED) {
    const body = { kind: kind.name, digests: Object.fromEntries(digests.slice(start, start + MAX_COMPARED)) }
    const reply = await api.request<{ unchanged: string[]; files: Record<string, string[]> }>(
      '/managed/compare',
      {
        method: 'POST',
        body,
      },
    )
    for (const id of reply.unchanged) unchanged.add(id)
    Object.assign(files, reply.files)
  }
  return { unchanged, files }
}

/** Lists the fields in which an object differs from its file; files and values that the server does not show come last. */
async function listChanges(object: CheckedObject, { form: stored }: StoredObject): Promise<FieldChange[]> {
  const { form, kind, secretPaths } = object
  const changes: FieldChange[] = []
  const names = [...Object.keys(form)].filter((field) => field !== 'agent' && !kind.hidden?.includes(field))
  for (const field of names) {
    if (isAsDeclared(stored[field], form[field], field === 'tools')) continue
    const isSecret =
      field === kind.secret?.field || [...secretPaths].some((path) => path.startsWith(`/${field}`))
    const isHidden = isSecret || field === kind.config?.field
    changes.push({ field, ...(!isHidden && { shown: `${show(stored[field])} → ${show(form[field])}` }) })
  }
  return changes
}

/** True if a stored value is the declared one; hidden values count as equal, and of tools only the named ones count. */
export function isAsDeclared(stored: unknown, declared: unknown, isPartial = false): boolean {
  if (stored === HIDDEN) return declared !== null && declared !== undefined
  if (!isObject(stored) || !isObject(declared)) return isDeepStrictEqual(stored ?? null, declared ?? null)
  const fields = new Set([...(isPartial ? [] : Object.keys(stored)), ...Object.keys(declared)])
  return [...fields].every((field) => isAsDeclared(stored[field], declared[field]))
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text
}
