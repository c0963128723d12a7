import type { Collection, Document, Filter, IndexDescription } from 'mongodb'
import type { Caller } from '#kernel'

/** The part of a document that says that `svc apply` keeps it; missing from all others. */
export interface Managed {
  managed?: {
    by: 'apply'
    /** The file that declares it, as a path within the folder that was applied. */
    file: string
    /** Proves that content is what was applied last; missing until that is complete. */
    digest?: string
    /** The files of the workspace that were applied. */
    files?: string[]
  }
}

/** The index that managed objects are listed with; other objects are not in it. */
export const managedIndex: IndexDescription = {
  key: { 'managed.by': 1, _id: 1 },
  partialFilterExpression: { 'managed.by': 'apply' },
}

/** The fields of a row that say whether `svc apply` keeps the object. */
export const managedRow = {
  managed_by: {
    title: 'Manager',
    enum: ['apply', null],
    description: '`apply` if `svc apply` keeps it; other changes are refused with MANAGED',
    examples: [null],
  },
  managed_file: {
    type: ['string', 'null'],
    description: 'The file that declares it, in the folder of `svc apply`',
    examples: [null],
  },
} as const

/** Returns the fields of `managedRow` for a document. */
export const showManaged = ({ managed }: Managed) => ({
  managed_by: managed?.by ?? null,
  managed_file: managed?.file ?? null,
})

/** A kind of objects that can be declared in files, registered at `declared.kinds`. */
export interface DeclarableKind {
  /** As its actions begin in audit rows, such as `agent`. */
  name: string
  collection: () => Collection<Document & Managed & { _id: string }>
  /** Returns the condition for the object that the path of a route names; by default its `_id`. */
  filterOf?: (key: string, caller: Caller | undefined) => Filter<Document & { _id: string }>
}

/** Describes a kind of objects with the documents of one collection. */
export const createDeclarable = <Row extends Document & Managed & { _id: string }>({
  collection,
  ...kind
}: Omit<DeclarableKind, 'collection'> & { collection: () => Collection<Row> }): DeclarableKind => ({
  ...kind,
  collection: () => collection() as unknown as ReturnType<DeclarableKind['collection']>,
})
