import type { Collection, Document, Filter } from 'mongodb'

/** The name of an object, and its kind as in the actions of the audit log, such as `agent`. */
export interface NamedObject {
  id: string
  kind: string
  name: string
}

/** Returns the names of the documents with these ids that still exist. */
export async function listNames<Stored extends Document & { _id: string }>(
  collection: Collection<Stored>,
  ids: readonly string[],
  { kind, field }: { kind: string; field: string & keyof Stored },
): Promise<NamedObject[]> {
  const filter = { _id: { $in: ids } } as unknown as Filter<Stored>
  const documents = await collection.find(filter, { projection: { [field]: 1 } }).toArray()
  return documents.map((document) => ({ id: String(document._id), kind, name: String(document[field]) }))
}
