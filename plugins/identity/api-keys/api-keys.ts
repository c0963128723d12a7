import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  AppError,
  createRecentValues,
  findPage,
  type Issue,
  isDuplicateKey,
  type Page,
  type PageRequest,
  type TypeOf,
} from '#plugin-api'
import type { Scopes } from '../auth/scopes.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { AuthCaller, Credential } from '../auth/types.ts'
import type { Users } from '../users/users.ts'
import type { ApiKeyDocument, Cradle } from './manifest.ts'
import type { newApiKey } from './schemas.ts'

const DAY_SECONDS = 86_400
/** The time for which an expired key is kept, so that its owner sees why it was refused. */
const RETENTION_SECONDS = 30 * DAY_SECONDS
/** The time between two notes of the last use of a key. */
const NOTE_SECONDS = 60

/** The store of API keys. */
export type ApiKeys = ReturnType<typeof createApiKeys>

/** Creates the store of API keys. */
export function createApiKeys({
  collections: { api_keys },
  clock,
  ids,
  limits,
  log,
  scopes: scopeRules,
  sessions,
  users,
}: { scopes: Scopes; sessions: Sessions; users: Users } & Pick<
  Cradle,
  'collections' | 'clock' | 'ids' | 'limits' | 'log'
>) {
  const recent = createRecentValues(async (key_ids) => {
    const keys = await api_keys.find({ _id: { $in: [...key_ids] } }).toArray()
    return new Map(keys.map((key) => [key._id, key]))
  })

  /** The notes of last uses that are being written, by key. */
  const notes = new Map<string, Promise<unknown>>()

  /** Throws VALIDATION_FAILED for unknown scopes, SCOPE_EXCEEDS for scopes that the account does not hold. */
  const assertGrantable = (caller: AuthCaller, scopes: readonly string[]) => {
    const issues = scopes.flatMap((scope, index): Issue[] =>
      scopeRules.isKnown(scope)
        ? []
        : [{ path: `/scopes/${index}`, rule: 'scope', message: 'is not a known scope' }],
    )
    if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
    const missing = scopeRules.listMissing(caller, scopes)
    if (missing.length > 0) throw new AppError('SCOPE_EXCEEDS', { missing })
  }

  const insert = async (key: ApiKeyDocument) => {
    try {
      await api_keys.insertOne(key)
    } catch (error) {
      if (isDuplicateKey(error)) throw new AppError('API_KEY_NAME_TAKEN', {}, { cause: error })
      throw error
    }
  }

  /** Notes that a key is in use; nobody waits for it. */
  const noteUse = ({ _id, last_used_at }: ApiKeyDocument) => {
    const now = clock.seconds()
    if (now - (last_used_at ?? 0) < NOTE_SECONDS || notes.has(_id)) return
    const note = api_keys
      .updateOne({ _id }, { $max: { last_used_at: now } })
      .catch((error) => log.warn({ error, id: _id }, 'the use of an API key could not be noted'))
      .finally(() => {
        recent.drop(_id)
        notes.delete(_id)
      })
    notes.set(_id, note)
  }

  return {
    /**
     * Creates a key; returns it with its text, which is not stored. Throws VALIDATION_FAILED, SCOPE_EXCEEDS,
     * LIMIT_REACHED, API_KEY_NAME_TAKEN, AUTH_FAILED if the caller's account or session has ended meanwhile.
     */
    async create(
      caller: AuthCaller,
      { name, scopes, expires_in_days }: TypeOf<typeof newApiKey>,
    ): Promise<{ key: ApiKeyDocument; text: string }> {
      assertGrantable(caller, scopes)
      const secret = makeSecret()
      const created_at = clock.seconds()
      const expires_at = expires_in_days === undefined ? null : created_at + expires_in_days * DAY_SECONDS
      const key: ApiKeyDocument = {
        _id: ids.make(),
        user_id: caller.id,
        name,
        secret_hash: hashSecret(secret),
        scopes,
        created_at,
        expires_at,
        last_used_at: null,
        delete_at: expires_at === null ? null : new Date((expires_at + RETENTION_SECONDS) * 1000),
      }
      await limits.within('api_keys', caller.id, () => insert(key))
      // A reset of the password that has ended the session meanwhile did not see this key.
      const [user, session] = await Promise.all([users.find(caller.id), sessions.find(caller.session_id)])
      if (!user || session?.ended_at !== null) {
        await api_keys.deleteOne({ _id: key._id })
        recent.drop(key._id)
        throw new AppError('AUTH_FAILED')
      }
      return { key, text: formatKey({ id: key._id, secret }) }
    },

    /** Lists the account's keys, newest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (user_id: string, page: PageRequest): Promise<Page<ApiKeyDocument>> =>
      findPage(api_keys, { parts: [{ user_id }], sort: { created_at: -1, _id: -1 } }, page),

    count: (user_id: string) => api_keys.countDocuments({ user_id }),

    /** Deletes one of the account's keys and returns it. Throws NOT_FOUND if the account has no such key. */
    async remove(user_id: string, key: { _id: string } | { name: string }): Promise<ApiKeyDocument> {
      const removed = await api_keys.findOneAndDelete({ ...key, user_id })
      if (!removed) throw new AppError('NOT_FOUND')
      recent.drop(removed._id)
      return removed
    },

    async removeAllOf(user_id: string): Promise<void> {
      await api_keys.deleteMany({ user_id })
      recent.drop()
    },

    /** Finds the key of a bearer token, also an expired one; undefined if there is none. */
    async findBearer(
      token: string,
    ): Promise<{ user_id: string; id: string; credential: Credential } | undefined> {
      const parts = parseKey(token)
      const key = parts && (await recent.get(parts.id))
      if (!key || !isHashOf(key.secret_hash, parts.secret)) return undefined
      noteUse(key)
      const { _id: id, user_id, name, scopes, expires_at } = key
      return { user_id, id, credential: { name, scopes, expires_at } }
    },

    /** Returns the ids of the keys that are still valid. */
    async listLive(key_ids: readonly string[]): Promise<string[]> {
      const live = {
        _id: { $in: [...key_ids] },
        $or: [{ expires_at: null }, { expires_at: { $gt: clock.seconds() } }],
      }
      const keys = await api_keys.find(live, { projection: { _id: 1 } }).toArray()
      return keys.map(({ _id }) => _id)
    },

    /** Waits until every use is noted. */
    idle: () => Promise.all(notes.values()),
  }
}

const SECRET_BYTES = 32

/** The prefix lets programs that search code for secrets find keys. */
const FORM = /^svc_([0-9A-HJKMNP-TV-Z]{26})_([0-9a-f]{64})$/

/** The parts of a key's text. */
interface KeyParts {
  id: string
  secret: string
}

/** Makes a secret that cannot be guessed. */
const makeSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

/** Returns the text of a key, `svc_<id>_<secret>`. */
const formatKey = ({ id, secret }: KeyParts): string => `svc_${id}_${secret}`

/** Reads the text of a key; undefined if it has another form. */
function parseKey(text: string): KeyParts | undefined {
  const [, id, secret] = FORM.exec(text) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

const digest = (secret: string) => createHash('sha256').update(secret).digest()

/** Hashes a secret; it is random and long, so that a fast hash suffices. */
const hashSecret = (secret: string): string => digest(secret).toString('base64url')

/** True if this is the hash of the secret; the comparison takes constant time. */
const isHashOf = (hash: string, secret: string): boolean =>
  timingSafeEqual(Buffer.from(hash, 'base64url'), digest(secret))
