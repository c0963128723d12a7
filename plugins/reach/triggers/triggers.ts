import { randomBytes } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import {
  AppError,
  type Conditional,
  findPage,
  missOf,
  type Page,
  type PageRequest,
  requireUnchanged,
  type TypeOf,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { newTrigger, triggerChanges } from './schemas.ts'
import type { Scheme, TriggerDocument, TriggerOwner } from './types.ts'

/** The bytes of a secret. */
const SECRET_BYTES = 24

/** The indexes for lists and removals. */
export const triggerIndexes: IndexDescription[] = [
  { key: { user_id: 1, agent_id: 1, created_at: -1, _id: -1 } },
  { key: { agent_id: 1 } },
]

/** The fields that the entity tag of a trigger is made from. */
export const triggerFields = ['name', 'prompt', 'thread', 'model', 'enabled', 'scheme', 'secret'] as const

/** Returns the purpose for which the secret of a trigger is sealed. */
const purposeOf = (trigger_id: string) => `trigger:${trigger_id}`

/** The scopes of the credential that makes a change; null for a session. */
type Scopes = readonly string[] | null

/** The store of triggers. */
export type Triggers = ReturnType<typeof createTriggers>

/** Creates the store of triggers. */
export function createTriggers({
  collections: { triggers },
  triggerDeliveries,
  clock,
  ids,
  limits,
  models,
  secrets,
}: Pick<Cradle, 'collections' | 'triggerDeliveries' | 'clock' | 'ids' | 'limits' | 'models' | 'secrets'>) {
  const get = async (owner: TriggerOwner, trigger_id: string): Promise<TriggerDocument> => {
    const trigger = await triggers.findOne({ _id: trigger_id, ...owner })
    if (!trigger) throw new AppError('NOT_FOUND')
    return trigger
  }

  const seal = (trigger_id: string, secret: string) => secrets.seal(secret, purposeOf(trigger_id))

  const self = {
    get,

    /** Finds the trigger of any account; null if it does not exist or is disabled. */
    findEnabled: (trigger_id: string) => triggers.findOne({ _id: trigger_id, enabled: true }),

    count: (user_id: string) => triggers.countDocuments({ user_id }),

    /** Lists the triggers of an account with an agent, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (owner: TriggerOwner, page: PageRequest): Promise<Page<TriggerDocument>> =>
      findPage(
        triggers,
        {
          parts: [owner],
          sort: { created_at: -1, _id: -1 },
          bytesOf: ({ prompt }) => Buffer.byteLength(JSON.stringify(prompt)),
        },
        page,
      ),

    /** Creates a trigger; returns its secret too if this server has made it. Throws PROVIDER_NOT_VISIBLE, LIMIT_REACHED, VALIDATION_FAILED. */
    async create(
      owner: TriggerOwner,
      { verify, model = null, ...settings }: TypeOf<typeof newTrigger>,
      scopes: Scopes,
    ): Promise<{ trigger: TriggerDocument; secret: string | null }> {
      if (model !== null) await models.assertUsable(model, owner.user_id)
      const { scheme, secret = makeSecret(scheme) } = verify
      assertSecret(scheme, secret)
      const _id = ids.make('trg_')
      const now = clock.seconds()
      const trigger: TriggerDocument = {
        _id,
        ...owner,
        ...settings,
        model,
        scheme,
        secret: seal(_id, secret),
        scopes,
        thread_id: null,
        last_request_at: null,
        created_at: now,
        updated_at: now,
      }
      await limits.within('triggers', owner.user_id, () => triggers.insertOne(trigger))
      return { trigger, secret: verify.secret === undefined ? secret : null }
    },

    /** Changes a trigger. Throws what `create` throws, NOT_FOUND and PRECONDITION_FAILED. */
    async update(
      owner: TriggerOwner,
      trigger_id: string,
      { verify, ...changes }: TypeOf<typeof triggerChanges>,
      { scopes, request }: { scopes: Scopes; request: Conditional },
    ): Promise<TriggerDocument> {
      const old = await get(owner, trigger_id)
      const unchanged = requireUnchanged(request, old, triggerFields)
      if (changes.model != null) await models.assertUsable(changes.model, owner.user_id)
      if (verify) assertSecret(verify.scheme, verify.secret ?? self.openSecret(old))
      const updated = await triggers.findOneAndUpdate(
        { _id: trigger_id, ...owner, ...unchanged },
        {
          $set: {
            ...changes,
            ...(verify && { scheme: verify.scheme }),
            ...(verify?.secret !== undefined && { secret: seal(trigger_id, verify.secret) }),
            scopes,
            updated_at: clock.seconds(),
          },
        },
        { returnDocument: 'after' },
      )
      if (!updated) throw missOf(unchanged, 'NOT_FOUND')
      return updated
    },

    /** Replaces the secret of a trigger; returns the new one. Throws NOT_FOUND. */
    async replaceSecret(owner: TriggerOwner, trigger_id: string): Promise<string> {
      const { scheme } = await get(owner, trigger_id)
      const secret = makeSecret(scheme)
      const changes = { secret: seal(trigger_id, secret), updated_at: clock.seconds() }
      const { matchedCount } = await triggers.updateOne(
        { _id: trigger_id, ...owner, scheme },
        { $set: changes },
      )
      if (matchedCount === 0) throw new AppError('NOT_FOUND')
      return secret
    },

    /** Returns the secret of a trigger. */
    openSecret: ({ _id, secret }: Pick<TriggerDocument, '_id' | 'secret'>): string =>
      secrets.open(secret, purposeOf(_id)),

    /** Notes that a verified request has come. */
    async noteRequest({ _id }: Pick<TriggerDocument, '_id'>): Promise<void> {
      await triggers.updateOne({ _id }, { $set: { last_request_at: clock.seconds() } })
    },

    /** Sets the thread in which the turns follow each other, unless it has changed meanwhile; returns the one that is set. */
    async chooseThread(
      { _id, thread_id: former }: Pick<TriggerDocument, '_id' | 'thread_id'>,
      thread_id: string,
    ): Promise<string> {
      const { modifiedCount } = await triggers.updateOne({ _id, thread_id: former }, { $set: { thread_id } })
      if (modifiedCount > 0) return thread_id
      return (await triggers.findOne({ _id }))?.thread_id ?? thread_id
    },

    /** Deletes a trigger with the list of its requests; throws NOT_FOUND. */
    async remove(owner: TriggerOwner, trigger_id: string): Promise<TriggerDocument> {
      const trigger = await triggers.findOneAndDelete({ _id: trigger_id, ...owner })
      if (!trigger) throw new AppError('NOT_FOUND')
      await triggerDeliveries.removeAllOf({ trigger_id })
      return trigger
    },

    async removeAllOf(owner: Partial<TriggerOwner>): Promise<void> {
      await triggers.deleteMany(owner)
      await triggerDeliveries.removeAllOf(owner)
    },
  }
  return self
}

/** Makes a secret in the form that senders of a scheme expect. */
function makeSecret(scheme: Scheme): string {
  const bytes = randomBytes(SECRET_BYTES)
  return scheme === 'standard' ? `whsec_${bytes.toString('base64')}` : bytes.toString('base64url')
}

/** Throws VALIDATION_FAILED unless the secret has the form that a scheme needs. */
function assertSecret(scheme: Scheme, secret: string): void {
  if (scheme !== 'standard' || /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret)) return
  const message = 'must be "whsec_" and at least 16 characters of Base64'
  throw new AppError('VALIDATION_FAILED', { issues: [{ path: '/verify/secret', rule: 'secret', message }] })
}
