import { setTimeout as pause } from 'node:timers/promises'
import type { Db, Document } from 'mongodb'
import {
  acquireLease,
  type Clock,
  createSecrets,
  type LeaseDocument,
  openKeyRing,
  type Secrets,
} from '#plugin-api'
import { listSealedFields, purposeOf, type SealedField } from '#plugin-api/operation'

/** The outcome of a rotation. */
export interface RotationReport {
  /** True if it resumed an interrupted rotation. */
  resumed: boolean
  /** Secrets that were sealed anew. */
  resealed: number
  /** Secrets that no key opens, as `<collection>.<field> of <id>`; they stay as they are. */
  unreadable: string[]
}

/** Milliseconds after which another process may resume a rotation that was killed. */
const LEASE_MS = 10_000

const LEASE = 'secret_key.rotation'

/** Documents after which the lease is renewed; each takes about a millisecond. */
const DOCUMENTS_PER_RENEWAL = 500

type Round = { renewed: number; unreadable: string[] }

/**
 * Replaces the key that stored secrets are sealed with, and seals everything anew while servers go on: both keys open
 * until it has ended. Resumes an interrupted rotation, and waits for one that another process runs. Before the former
 * key goes, writes that were in progress when the new one came have `patience_ms` to end.
 */
export async function rotateSecretKey({
  home,
  db,
  clock,
  holder,
  patience_ms,
}: {
  home: string
  db: Db
  clock: Clock
  /** The process that holds the lease. */
  holder: string
  patience_ms: number
}): Promise<RotationReport> {
  const keyRing = openKeyRing(home)
  const secrets = createSecrets(keyRing)
  const leases = db.collection<LeaseDocument>('leases')
  const acquire = () => {
    const now = clock.now()
    return acquireLease(leases, { name: LEASE, holder, now, until: now + LEASE_MS })
  }
  const keepLease = async () => {
    if (!(await acquire())) throw new Error('another process has taken this rotation over')
  }

  while (!(await acquire())) await pause(LEASE_MS / 20)
  try {
    const resumed = !keyRing.begin()
    let { renewed: resealed, unreadable } = await renewAll({ db, secrets, keepLease })
    for (let left = patience_ms; left > 0; left -= LEASE_MS / 4) {
      await pause(Math.min(left, LEASE_MS / 4))
      await keepLease()
    }
    for (let remaining = 1; remaining > 0; resealed += remaining)
      ({ renewed: remaining, unreadable } = await renewAll({ db, secrets, keepLease }))
    keyRing.end()
    return { resumed, resealed, unreadable }
  } finally {
    await leases.deleteOne({ _id: LEASE, holder })
  }
}

interface Means {
  db: Db
  secrets: Secrets
  /** Throws once another process does this work. */
  keepLease(): Promise<void>
}

/** Seals anew what is sealed with the former key; returns the number of values, and those that no key opens. */
async function renewAll(means: Means): Promise<Round> {
  const round: Round = { renewed: 0, unreadable: [] }
  for (const field of await listSealedFields(means.db)) await renewField(field, means, round)
  return round
}

async function renewField(
  sealed: SealedField,
  { db, secrets, keepLease }: Means,
  round: Round,
): Promise<void> {
  const { collection, field } = sealed
  const documents = db.collection<Document & { _id: string }>(collection)
  const cursor = documents.find({ [field]: { $type: 'string' } }, { projection: { [field]: 1 } })
  let count = 0
  for await (const { _id, [field]: old } of cursor) {
    if (count++ % DOCUMENTS_PER_RENEWAL === 0) await keepLease()
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
