// Keeps the replies of POST requests that clients may repeat: the kernel hands over the calls.
import { createHash } from 'node:crypto'
import {
  AppError,
  type Cradle as CradleOf,
  defineManifest,
  definePlugin,
  hasEnded,
  isDuplicateKey,
  isUnavailable,
  type KeptReply,
  type ProcessIdentity,
  type RepeatableCall,
  thisProcess,
} from '#plugin-api'

const manifest = defineManifest({
  name: 'idempotency',
  summary: 'Repeated POST requests with an Idempotency-Key, which take effect once',
  depends: ['users'],
  limits: {
    idempotency_keys: { default: 1000, description: 'Idempotency keys of an account that are remembered' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    idempotency: typeof manifest
  }
  interface Collections {
    idempotency: { kept_replies: KeptReplyDocument }
  }
  interface PrivateServices {
    idempotency: { keptReplies: KeptReplies }
  }
}

/** The time for which a reply is kept, in milliseconds. */
const KEEP_MS = 86_400_000
/** The time after which a call of a process that cannot be asked has ended, in milliseconds. */
const MAX_CALL_MS = 600_000

/** A call with an `Idempotency-Key`; `_id` is the hash of the account and the key. */
interface KeptReplyDocument {
  _id: string
  account_id: string
  fingerprint: string
  outcome: 'running' | 'answered' | 'unknown'
  /** The process that performs the call. */
  process: ProcessIdentity
  /** The sealed reply, which may contain a secret; null unless the call has been answered. */
  reply: string | null
  delete_at: Date
}

/** The replies of calls that clients may repeat. */
type KeptReplies = ReturnType<typeof createKeptReplies>

/** Creates the store of replies. */
function createKeptReplies({
  collections: { kept_replies: replies },
  clock,
  secrets,
  limits,
  log,
}: Pick<CradleOf<typeof manifest>, 'collections' | 'clock' | 'secrets' | 'limits' | 'log'>) {
  const purposeOf = (id: string) => `idempotency:${id}`
  /** The calls that this process performs. */
  const running = new Set<string>()
  /** The writes that are due for calls that ended while the database was unavailable. */
  const unsettled = new Map<string, () => Promise<unknown>>()

  /** Claims the key for a call; false if it was claimed before. */
  const claim = async ({ account_id, fingerprint }: RepeatableCall, _id: string): Promise<boolean> => {
    const delete_at = new Date(clock.now() + KEEP_MS)
    const state = { outcome: 'running', process: thisProcess, reply: null, delete_at } as const
    try {
      await replies.insertOne({ _id, account_id, fingerprint, ...state })
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  /** True while a call may still get its reply. */
  const isRunning = ({ _id, outcome, process, delete_at }: KeptReplyDocument): boolean => {
    if (outcome !== 'running' || hasEnded(process)) return false
    if (process.launch === thisProcess.launch) return running.has(_id)
    return clock.now() < delete_at.getTime() - KEEP_MS + MAX_CALL_MS
  }

  const replay = async ({ fingerprint }: RepeatableCall, _id: string): Promise<KeptReply> => {
    const row = await replies.findOne({ _id })
    if (row && row.fingerprint !== fingerprint) throw new AppError('IDEMPOTENCY_KEY_REUSED')
    // Without a row, the first call has just been refused.
    if (!row || isRunning(row)) throw new AppError('IDEMPOTENCY_KEY_IN_USE', { retry_after_seconds: 1 })
    if (row.reply === null) throw new AppError('IDEMPOTENCY_OUTCOME_UNKNOWN', { outcome: 'unknown' })
    return JSON.parse(secrets.open(row.reply, purposeOf(_id)))
  }

  /** Writes what became of a call, or notes that it must be written once the database can be reached. */
  const settle = async (_id: string, write: () => Promise<unknown>): Promise<void> => {
    try {
      await write()
    } catch (error) {
      log.warn({ error }, 'the outcome of a request with an Idempotency-Key will be stored later')
      unsettled.set(_id, write)
    }
  }

  const settleOthers = async (): Promise<void> => {
    for (const [_id, write] of unsettled) {
      await write()
      unsettled.delete(_id)
    }
  }

  const performFirst = async (call: RepeatableCall, _id: string): Promise<KeptReply> => {
    let reply: KeptReply
    try {
      reply = await call.perform()
    } catch (error) {
      const hadNoEffect = error instanceof AppError || (isUnavailable(error) && !call.hasWritten())
      await settle(_id, () =>
        hadNoEffect
          ? replies.deleteOne({ _id })
          : replies.updateOne({ _id }, { $set: { outcome: 'unknown' } }),
      )
      throw error
    }
    const sealed = secrets.seal(JSON.stringify(reply), purposeOf(_id))
    await settle(_id, () => replies.updateOne({ _id }, { $set: { outcome: 'answered', reply: sealed } }))
    return reply
  }

  return {
    count: (account_id: string) => replies.countDocuments({ account_id }),

    /**
     * Performs a call at most once within a day, and answers its repetitions with its reply. A call that had no effect
     * may be repeated: it was refused, or lost the database before it wrote anything. One that failed otherwise, or
     * whose process died, is not performed again.
     */
    async perform(call: RepeatableCall): Promise<KeptReply> {
      await settleOthers()
      const _id = createHash('sha256').update(`${call.account_id} ${call.key}`).digest('base64url')
      const isKnown = (await replies.countDocuments({ _id }, { limit: 1 })) > 0
      if (isKnown || running.has(_id)) return replay(call, _id)
      running.add(_id)
      try {
        const isFirst = await limits.within('idempotency_keys', call.account_id, () => claim(call, _id))
        return isFirst ? await performFirst(call, _id) : await replay(call, _id)
      } finally {
        running.delete(_id)
      }
    },

    /** Removes what is kept for an account. */
    forget: (account_id: string) => replies.deleteMany({ account_id }),
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('kept_replies', {
      indexes: [{ key: { account_id: 1 } }, { key: { delete_at: 1 }, expireAfterSeconds: 0 }],
      sealed: { reply: 'idempotency:{_id}' },
    })
    host.service('keptReplies', createKeptReplies)
    host.limit('idempotency_keys', ({ keptReplies }, account_id) => keptReplies.count(account_id))
    host.extend('kernel.repetition', (call, { keptReplies }) => keptReplies.perform(call))
    host.extend('users.removal', ({ user_id }, { keptReplies }) => keptReplies.forget(user_id))
  },
})
