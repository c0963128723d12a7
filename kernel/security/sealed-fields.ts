import type { Db } from 'mongodb'

/** A field whose values are sealed. In `purpose` each document's id takes the place of `{_id}`. */
export interface SealedField {
  collection: string
  field: string
  purpose: string
}

/** Fields by their purpose, as a plugin declares them for its collection. */
export type SealedPurposes = Record<string, string>

type SealedFieldDocument = SealedField & { _id: string }

const idOf = ({ collection, field }: SealedField) => `${collection}.${field}`

const collectionOf = (db: Db) => db.collection<SealedFieldDocument>('sealed_fields')

/** Records the sealed fields in the database, so that the fields of plugins that are switched off later stay known. */
export async function noteSealedFields(
  db: Db,
  declared: Iterable<[string, { sealed: SealedPurposes }]>,
): Promise<void> {
  const fields = [...declared].flatMap(([collection, { sealed }]) =>
    Object.entries(sealed).map(([field, purpose]) => ({ collection, field, purpose })),
  )
  if (fields.length === 0) return
  const storedPurposes = new Map(
    (await collectionOf(db).find().toArray()).map(({ _id, purpose }) => [_id, purpose]),
  )
  const changed = fields.filter((field) => storedPurposes.get(idOf(field)) !== field.purpose)
  if (changed.length === 0) return
  await collectionOf(db).bulkWrite(
    changed.map((field) => ({
      updateOne: { filter: { _id: idOf(field) }, update: { $set: field }, upsert: true },
    })),
  )
}

/** All fields that were ever declared to be sealed. */
export const listSealedFields = (db: Db): Promise<SealedField[]> => collectionOf(db).find().toArray()

/** Returns the purpose for which the value of this document's field was sealed. */
export const purposeOf = ({ purpose }: SealedField, id: string): string => purpose.replaceAll('{_id}', id)
