import { existsSync } from 'node:fs'
import type { Db } from 'mongodb'
import { ConfigError } from '../errors.ts'
import { keyPathIn } from './key-ring.ts'

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

/** Throws if the key file of a home is missing although the database has values that were sealed with it. */
export async function assertKeyKept(home: string, db: Db): Promise<void> {
  const path = keyPathIn(home)
  if (existsSync(path)) return
  for (const { collection, field } of await listSealedFields(db)) {
    const sealed = await db
      .collection(collection)
      .findOne({ [field]: { $type: 'string' } }, { projection: { _id: 1 } })
    if (sealed)
      throw new ConfigError(
        `${path} is missing, but the database has secrets that are encrypted with it: put the file back, ` +
          'or if it is lost, "svc admin rotate-jwt-secret" makes a new one, after which keys of providers and ' +
          'secrets of channels must be entered again',
      )
  }
}
