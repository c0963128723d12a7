import type { AnyClientBulkWriteModel, Collection, Document, MongoClient } from 'mongodb'
import { isUnavailable, noteWrite } from '#kernel'
import { createGroupCommit } from './group-commit.ts'

type Stored = Document & { _id: string }

/** One write to the collection with this namespace. */
export type Write = AnyClientBulkWriteModel<Stored> & { namespace: string }

/** Returns a write with the same effect that may also be made again. */
export const toRepeatable = (write: Write): Write =>
  write.name === 'insertOne'
    ? {
        name: 'replaceOne',
        namespace: write.namespace,
        filter: { _id: write.document._id },
        replacement: write.document,
        upsert: true,
      }
    : write

/** Writes that are made in order, each only if those before it succeeded. */
export interface WriteRequest {
  /** Returns the writes when their command is about to be sent. */
  collect(): readonly Write[]
  /** Called when all of them are durable. */
  written(): void
  /** Called when one of them failed: those before it are durable, those after it have not been made. */
  failed(error: unknown): void
}

/** Sends the writes that wait at the same time, to whatever collections, in one command. */
export interface JointWriter {
  add(request: WriteRequest): void
  /** Makes these writes; rejects with the error of the first one that fails. */
  write(writes: readonly Write[]): Promise<void>
  /** Resolves when no write is waiting or under way. */
  idle(): Promise<void>
}

const writers = new WeakMap<MongoClient, JointWriter>()

/** Returns the writer that all plugins share which use the client of this collection. */
export function jointWriterOf({ db: { client } }: Pick<Collection, 'db'>): JointWriter {
  const existing = writers.get(client)
  if (existing) return existing
  const writer = createJointWriter(client)
  writers.set(client, writer)
  return writer
}

function createJointWriter(client: Pick<MongoClient, 'bulkWrite'>): JointWriter {
  const send = async (pending: readonly PendingRequest[]): Promise<void> => {
    const all: Write[] = []
    for (const one of pending) {
      one.writes ??= one.request.collect()
      all.push(...one.writes)
    }
    try {
      if (all.length > 0) await client.bulkWrite<Record<string, Stored>>(all, { ordered: true })
    } catch (error) {
      return handle(error, pending)
    }
    for (const { request } of pending) request.written()
  }

  const handle = async (error: unknown, pending: readonly PendingRequest[]): Promise<void> => {
    const refused = readRefusal(error)
    if (refused) await sendOthers(pending, refused)
    else if (pending.length === 1 || isUnavailable(error))
      for (const { request } of pending) request.failed(error)
    // One request must not prevent the others, such as one with a document that is too large.
    else for (const one of pending) await send([one])
  }

  /** Reports a refused write to its request, and sends the requests behind it. */
  const sendOthers = async (pending: readonly PendingRequest[], { index, error }: Refusal) => {
    let end = 0
    const at = pending.findIndex(({ writes }) => {
      end += writes!.length
      return index < end
    })
    for (const { request } of pending.slice(0, at)) request.written()
    pending[at]!.request.failed(error)
    const behind = pending.slice(at + 1)
    if (behind.length > 0) await send(behind)
  }

  const commits = createGroupCommit<PendingRequest>(send)
  return {
    add(request) {
      noteWrite()
      commits.add({ request, writes: undefined })
    },
    write: (writes) => {
      noteWrite()
      return new Promise((resolve, reject) =>
        commits.add({ request: { collect: () => writes, written: resolve, failed: reject }, writes }),
      )
    },
    idle: commits.idle,
  }
}

interface PendingRequest {
  request: WriteRequest
  /** The writes of the request, once its first command is about to be sent. */
  writes: readonly Write[] | undefined
}

/** The write of a command that the database refused. */
interface Refusal {
  index: number
  error: Error
}

function readRefusal(error: unknown): Refusal | undefined {
  const { writeErrors, writeConcernErrors = [] } = error as {
    writeErrors?: ReadonlyMap<number, { code: number; message: string }>
    writeConcernErrors?: readonly unknown[]
  }
  const [refused] = writeErrors ?? []
  // If a write was not replicated, those before the refused one may not be durable either.
  if (!refused || writeConcernErrors.length > 0) return undefined
  const [index, { code, message }] = refused
  return { index, error: Object.assign(new Error(message), { code }) }
}
