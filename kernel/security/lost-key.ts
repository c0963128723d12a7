import { existsSync } from 'node:fs'
import type { Db } from 'mongodb'
import { ConfigError } from '../errors.ts'
import { keyPathIn } from './key-ring.ts'
import { listSealedFields } from './sealed-fields.ts'

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
