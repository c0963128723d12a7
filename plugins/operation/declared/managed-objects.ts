import {
  AppError,
  acquireLease,
  type DeclarableKind,
  findPage,
  type LeaseDocument,
  type Page,
  type PageRequest,
  type RequestedChange,
} from '#plugin-api'
import { findCreatedKind, findGuardedAction } from './guarded-actions.ts'
import type { Cradle } from './manifest.ts'

/** The request header that says that a change is that of an apply, with the path of the file that declares the object. */
const APPLY_HEADER = 'x-svc-apply'

/** The most characters of the path of a file. */
export const MAX_FILE_CHARS = 512

/** The time for which an apply that does not renew its lease keeps others waiting, in milliseconds. */
const LEASE_MS = 30_000
const LEASE = 'apply'

/** The content that was applied last to an object; `_id` is its kind, a colon and its id. */
export interface AppliedContentDocument {
  _id: string
  /** The sealed hash of the content, which may contain secrets; null while an apply changes the object. */
  digest: string | null
  /** The paths of files in a workspace that were applied. */
  files: string[]
}

/** An object that `svc apply` keeps. */
interface ManagedObject {
  id: string
  file: string
}

declare module '#kernel/types' {
  interface Collections {
    declared: {
      applied_contents: AppliedContentDocument
      apply_leases: LeaseDocument
    }
  }
  interface ExtensionPoints {
    /** Kinds of objects that files can declare. */
    'declared.kinds': DeclarableKind
  }
}

/** The objects that `svc apply` keeps. */
export type ManagedObjects = ReturnType<typeof createManagedObjects>

/** Creates the notes on managed objects, and the check that nothing else changes them. */
export function createManagedObjects({
  clock,
  collections: { applied_contents, apply_leases },
  extensions,
  secrets,
}: Pick<Cradle, 'clock' | 'collections' | 'extensions' | 'secrets'>) {
  const keyOf = (kind: string, id: string) => `${kind}:${id}`
  const purposeOf = (key: string) => `applied:${key}`

  /** Throws NOT_FOUND. */
  const findKind = (name: string): DeclarableKind => {
    const kind = extensions['declared.kinds'].get(name)
    if (!kind) throw new AppError('NOT_FOUND')
    return kind
  }

  /** Throws NOT_FOUND. */
  const note = async (name: string, id: string, file: string): Promise<void> => {
    const managed = { by: 'apply' as const, file }
    const { matchedCount } = await findKind(name).collection().updateOne({ _id: id }, { $set: { managed } })
    if (matchedCount === 0) throw new AppError('NOT_FOUND')
  }

  const forget = (name: string, id: string) => applied_contents.deleteOne({ _id: keyOf(name, id) })
  const invalidate = (name: string, id: string) =>
    applied_contents.updateOne({ _id: keyOf(name, id) }, { $set: { digest: null } })

  /** Notes that a creation or a change was that of an apply; what was applied before is unknown until it is complete. */
  const noteChange = async (name: string, id: string, file: string, isDeleted: boolean): Promise<void> => {
    if (isDeleted) await forget(name, id)
    else {
      await invalidate(name, id)
      await note(name, id, file)
    }
  }

  return {
    /**
     * Throws MANAGED if a change is not that of an apply although `svc apply` keeps the object; otherwise returns the
     * step that notes an apply's change.
     */
    async admit({ action, params, headers, caller }: RequestedChange) {
      const file = readFile(headers[APPLY_HEADER])
      const created = findCreatedKind(action)
      if (created && file !== undefined)
        return (body: unknown) => noteChange(created, (body as { id: string }).id, file, false)
      const change = findGuardedAction(action)
      const kind = change && extensions['declared.kinds'].get(change.kind)
      if (!kind) return undefined
      const key = params[change.param]!
      const filter = kind.filterOf?.(key, caller) ?? { _id: key }
      const object = await kind.collection().findOne(filter, { projection: { managed: 1 } })
      if (!object) return undefined
      if (file !== undefined)
        return () =>
          noteChange(
            kind.name,
            object._id,
            file,
            /\.(delete|withdraw)$/.test(action) && !/^(file|skill)/.test(action),
          )
      if (object.managed) throw new AppError('MANAGED', { file: object.managed.file })
      return undefined
    },

    /** Lists the managed objects of a kind. Throws NOT_FOUND for an unknown kind. */
    async list(name: string, page: PageRequest): Promise<Page<ManagedObject>> {
      const listing = {
        parts: [{ 'managed.by': 'apply' as const }],
        sort: { _id: 1 as const },
        projection: { managed: 1 },
      }
      const { rows, next } = await findPage(findKind(name).collection(), listing, page)
      const objects = rows.map(({ _id: id, managed }) => ({ id, file: managed!.file }))
      return { rows: objects, next }
    },

    /**
     * Returns the ids in `digests` whose content has been applied completely and had this hash, and the files
     * that were applied to the others.
     */
    async compare(name: string, digests: Readonly<Record<string, string>>) {
      const keys = Object.keys(digests).map((id) => keyOf(name, id))
      const contents = await applied_contents.find({ _id: { $in: keys } }).toArray()
      const unchanged: string[] = []
      const files: Record<string, string[]> = {}
      for (const content of contents) {
        const id = content._id.slice(name.length + 1)
        if (content.digest && secrets.open(content.digest, purposeOf(content._id)) === digests[id])
          unchanged.push(id)
        else files[id] = content.files
      }
      return { unchanged, files }
    },

    /** Notes that a content has been applied completely. Throws NOT_FOUND. */
    async complete(
      name: string,
      id: string,
      { file, digest, files }: { file: string; digest: string; files: readonly string[] },
    ): Promise<void> {
      await note(name, id, file)
      const key = keyOf(name, id)
      const content = { digest: secrets.seal(digest, purposeOf(key)), files: [...files] }
      await applied_contents.updateOne({ _id: key }, { $set: content }, { upsert: true })
    },

    /** Lets everybody who has the right change an object again. Throws NOT_FOUND. */
    async release(name: string, id: string): Promise<void> {
      const { matchedCount } = await findKind(name)
        .collection()
        .updateOne({ _id: id }, { $unset: { managed: '' } })
      if (matchedCount === 0) throw new AppError('NOT_FOUND')
      await forget(name, id)
    },

    /** Takes or renews the lease of an apply. Throws APPLY_RUNNING. */
    async acquire(holder: string): Promise<void> {
      const now = clock.now()
      const lease = { name: LEASE, holder, now, until: now + LEASE_MS }
      if (!(await acquireLease(apply_leases, lease))) throw new AppError('APPLY_RUNNING')
    },

    /** Ends the lease of an apply. */
    async yield(holder: string): Promise<void> {
      await apply_leases.deleteOne({ _id: LEASE, holder })
    },
  }
}

/** Reads the path of a file from the header; undefined without one. Throws BAD_REQUEST. */
function readFile(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const file = decodeHeader(String(header))
  if (file === undefined || file === '' || file.length > MAX_FILE_CHARS)
    throw new AppError('BAD_REQUEST', { reason: 'X-Svc-Apply must be the path of a file, percent-encoded' })
  return file
}

function decodeHeader(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // The percent signs are no encoding.
    return undefined
  }
}
