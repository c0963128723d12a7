import { setTimeout as pause } from 'node:timers/promises'
import type { Db, Document } from 'mongodb'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { acquireLease, type LeaseDocument } from '../database/lease.ts'
import type { KeyRing } from './key-ring.ts'
import { listSealedFields, purposeOf, type SealedField } from './sealed-fields.ts'
import type { Secrets } from './secrets.ts'

/** The outcome of a rotation. */
export interface RotationReport {
  /** True if it resumed an interrupted rotation. */
  resumed: boolean
  /** Secrets that were sealed anew. */
  resealed: number
  /** Secrets that no key opens, as `<collection>.<field> of <id>`; they stay as they are. */
  unreadable: string[]
}

/** Replaces the key that stored secrets are sealed with. */
export interface SecretRotation {
  /**
   * Seals everything anew while servers go on: both keys open until it has ended. Resumes an interrupted rotation, and
   * waits for one that another process runs. Before the former key goes, writes that were under way when the new one
   * came have `patience_ms` to end.
   */
  run(options: { patience_ms: number }): Promise<RotationReport>
}

/** Milliseconds after which another process may resume a rotation that was killed. */
const LEASE_MS = 10_000

const LEASE = 'secret_key.rotation'

/** Documents after which the lease is renewed; each takes about a millisecond. */
const DOCUMENTS_PER_RENEWAL = 500

type Round = { renewed: number; unreadable: string[] }

/** Makes the rotation; it needs a database only when it runs. */
export function createSecretRotation({
  database,
  keyRing,
  secrets,
  clock,
  holder,
}: {
  database: Database | undefined
  keyRing: KeyRing
  secrets: Secrets
  clock: Clock
  holder: string
}): SecretRotation {
  return {
    async run({ patience_ms }) {
      const { db } = database!
      const leases = db.collection<LeaseDocument>('leases')
      const acquire = () => {
        const now = clock.now()
        return acquireLease(leases, { name: LEASE, holder, now, until: now + LEASE_MS })
      }
      const goOn = async () => {
        if (!(await acquire())) throw new Error('another process has taken this rotation over')
      }

      while (!(await acquire())) await pause(LEASE_MS / 20)
      try {
        const resumed = !keyRing.begin()
        let { renewed: resealed, unreadable } = await renewAll({ db, secrets, goOn })
        for (let left = patience_ms; left > 0; left -= LEASE_MS / 4) {
          await pause(Math.min(left, LEASE_MS / 4))
          await goOn()
        }
        for (let rest = 1; rest > 0; resealed += rest)
          ({ renewed: rest, unreadable } = await renewAll({ db, secrets, goOn }))
        keyRing.end()
        return { resumed, resealed, unreadable }
      } finally {
        await leases.deleteOne({ _id: LEASE, holder })
      }
    },
  }
}

interface Means {
  db: Db
  secrets: Secrets
  /** Throws once another process does this work. */
  goOn(): Promise<void>
}

/** Seals anew what is sealed with the former key; returns the number of values, and those that no key opens. */
async function renewAll(means: Means): Promise<Round> {
  const round: Round = { renewed: 0, unreadable: [] }
  for (const field of await listSealedFields(means.db)) await renewField(field, means, round)
  return round
}

async function renewField(sealed: SealedField, { db, secrets, goOn }: Means, round: Round): Promise<void> {
  const { collection, field } = sealed
  const documents = db.collection<Document & { _id: string }>(collection)
  const cursor = documents.find({ [field]: { $type: 'string' } }, { projection: { [field]: 1 } })
  let seen = 0
  for await (const { _id, [field]: old } of cursor) {
    if (seen++ % DOCUMENTS_PER_RENEWAL === 0) await goOn()
    let renewed: string | undefined
    try {
      renewed = secrets.renew(old, purposeOf(sealed, _id))
    } catch {
      round.unreadable.push(`${collection}.${field} of ${_id}`)
      continue
    }
    if (!renewed) continue
    // Somebody's change in between is sealed with the new key, or is found by the next round.
    await documents.updateOne({ _id, [field]: old }, { $set: { [field]: renewed } })
    round.renewed += 1
  }
}
