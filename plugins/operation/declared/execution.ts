import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { listWorkspaceFiles } from './agent-files.ts'
import type { CheckedObject } from './declared-checks.ts'
import { OBJECT_KINDS, type ObjectKind } from './object-kinds.ts'
import { isAsDeclared, type PlannedObject, type UndeclaredObject } from './plan.ts'
import type { References } from './references.ts'
import { type Json, RefusalError, type ServerApi } from './server-api.ts'

/** Stores an object as its file declares it. Every step may be repeated, so an interrupted apply is completed by the next. */
export async function applyObject(
  { object, current, changes, appliedFiles }: PlannedObject,
  { api, references, username }: { api: ServerApi; references: References; username: string },
): Promise<void> {
  const { kind, form, file } = object
  const agent = references.agentOf(form)
  const path = current?.path ?? (await create())
  const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', below: string, body?: unknown) =>
    api.request(path + below, { method, file, ...(body !== undefined && { body }) })
  const stored: Json = current?.form ?? {
    grants: kind.grants?.(form),
    connectors: [],
    tools: {},
    stopped: false,
  }

  if (current) await update()
  if (kind.grants && !isAsDeclared(stored.grants, form.grants))
    await send('PUT', '/grants', references.grantsOf(form))
  if (kind.name === 'agent') await applyAgent()
  const id = path.split('/').at(-1)!
  const files = object.files.map((one) => one.path)
  const body = { kind: kind.name, id, file, digest: references.digestOf(object), files }
  await api.request('/managed', { method: 'POST', body })

  async function create(): Promise<string> {
    const isForOther = kind.name === 'agent' && form.owner !== username
    const fields = Object.fromEntries(
      kind.fields.filter((field) => isSent(object, field)).map((field) => [field, form[field]]),
    )
    // An agent is made for its owner under a name that none of the caller's own has.
    if (isForOther) fields.name = `apply ${randomBytes(6).toString('hex')}`
    const target = kind.schemaPath.replace('{id}', agent ?? '')
    const { id } = await api.request<{ id: string }>(target, {
      method: 'POST',
      body: { ...fields, ...idsOf() },
      file,
    })
    const newPath = (kind.isBelowAgent ? `/agents/${agent}` : '') + kind.itemOf(id)
    if (isForOther) {
      await api.request(`${newPath}/transfer`, { method: 'POST', body: { username: form.owner }, file })
      const again = { name: form.name, default_model: form.default_model, ...idsOf() }
      await api.request(newPath, { method: 'PATCH', body: again, file })
      await api.request(`${newPath}/grants`, { method: 'PUT', body: [], file })
    }
    references.add(kind.name, object.key, id)
    return newPath
  }

  function idsOf(): Json {
    const ids = Object.entries(kind.references).map(([name, { field, to }]) => [
      field,
      references.listIds(form[name], to),
    ])
    return Object.fromEntries(ids)
  }

  async function update(): Promise<void> {
    if (kind.name === 'agent' && stored.owner !== form.owner)
      await send('POST', '/transfer', { username: form.owner })
    const changed = new Set(changes.map(({ field }) => field))
    const fields = kind.fields.filter(
      (field) => !kind.fixed.includes(field) && (changed.has(field) || isUnseen(object, field)),
    )
    const body = Object.fromEntries(fields.map((field) => [field, patchOf(field)]))
    if (Object.keys(kind.references).some((name) => changed.has(name))) Object.assign(body, idsOf())
    if (Object.keys(body).length > 0) await send('PATCH', '', body)
  }

  function patchOf(field: string): unknown {
    const isMerged = field === kind.config?.field && field === 'config'
    return isMerged ? withRemovals(stored[field], form[field]) : form[field]
  }

  async function applyAgent(): Promise<void> {
    if (!isAsDeclared(stored.connectors, form.connectors))
      await send('PUT', '/connectors', { connectors: references.connectorsOf(form) })
    for (const [name, enabled] of Object.entries(form.tools as Json))
      if ((stored.tools as Json)[name] !== enabled)
        await send('PATCH', `/tool-settings/${encodeURIComponent(name)}`, { enabled })
    await applyFiles()
    if (stored.stopped !== form.stopped) await send('POST', form.stopped ? '/stop' : '/start')
  }

  async function applyFiles(): Promise<void> {
    if (object.files.length === 0 && appliedFiles.length === 0) return
    const present = new Set(await listWorkspaceFiles(path, api))
    const urlOf = (name: string) => `/files/content?path=${encodeURIComponent(name)}`
    for (const { path: name, source } of object.files) {
      const content = await readFile(source)
      const isSame = present.has(name) && content.equals(await api.readBytes(path + urlOf(name)))
      if (!isSame) await api.request(path + urlOf(name), { method: 'PUT', body: content, file })
    }
    // The files of the template that a new agent begins with are not its own either.
    const earlier = current ? appliedFiles : [...present]
    const declared = new Set(object.files.map((one) => one.path))
    for (const name of earlier)
      if (present.has(name) && !declared.has(name))
        await send('DELETE', `/files?path=${encodeURIComponent(name)}`)
  }
}

/** True for a field that a creation sends: null and hidden fields that the file leaves out are the server's to choose. */
const isSent = ({ form }: CheckedObject, field: string) => form[field] !== null

/** True for a field that may differ though the server does not show it. */
const isUnseen = ({ kind, form, secretPaths }: CheckedObject, field: string) =>
  (kind.hidden?.includes(field) && form[field] !== null) ||
  [...secretPaths].some((path) => `${path}/`.startsWith(`/${field}/`))

/** Returns a JSON merge patch (RFC 7396) that makes an object the declared one. */
function withRemovals(stored: unknown, declared: unknown): unknown {
  if (!isObject(stored) || !isObject(declared)) return declared
  const removed = Object.keys(stored).filter((field) => !Object.hasOwn(declared, field))
  return {
    ...Object.fromEntries(removed.map((field) => [field, null])),
    ...Object.fromEntries(
      Object.entries(declared).map(([field, value]) => [field, withRemovals(stored[field], value)]),
    ),
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Deletes managed objects that no file declares, those that refer to others first. */
export async function prune(
  undeclared: readonly UndeclaredObject[],
  { api, pathOf }: { api: ServerApi; pathOf: (object: UndeclaredObject) => Promise<string | undefined> },
): Promise<void> {
  for (const object of byDependence(undeclared)) {
    const path = await pathOf(object)
    if (path === undefined) continue
    const body = { kind: object.kind.name, id: object.id }
    await api.request(path, { method: 'DELETE', file: object.file }).catch((error: unknown) => {
      if (!(error instanceof RefusalError)) throw error
      // It went with its agent.
      if (error.status === 404) return undefined
      // The group that every server has stays, and is no longer managed.
      if (error.code === 'GROUP_NEEDED') return api.request('/managed/release', { method: 'POST', body })
      throw error
    })
  }
}

const rank = (kind: ObjectKind) => OBJECT_KINDS.indexOf(kind)
const byDependence = (objects: readonly UndeclaredObject[]) =>
  [...objects].sort((a, b) => rank(b.kind) - rank(a.kind))
