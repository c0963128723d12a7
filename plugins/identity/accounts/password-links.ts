import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '#plugin-api'
import type { Account } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { Cradle } from './manifest.ts'

const TOKEN_BYTES = 24
/** Seconds for which a link works. */
const LINK_SECONDS = 7 * 86_400

/** A link with which the user of a new account sets its first password. */
export interface PasswordLinkDocument {
  /** SHA-256 of the token, base64url; the token itself is not stored. */
  _id: string
  user_id: string
  /** Unix seconds. */
  expires_at: number
  /** `expires_at` as a date, for the TTL index. */
  delete_at: Date
}

declare module '#kernel/types' {
  interface Collections {
    accounts: {
      password_links: PasswordLinkDocument
    }
  }
}

/** A link as the person who passes it on receives it. */
export interface PasswordLink {
  /** Begins with a slash if no public URL is configured. */
  set_password_url: string
  expires_at: number
}

/** The links with which new accounts get their first passwords. */
export type PasswordLinks = ReturnType<typeof createPasswordLinks>

/** Creates the links. A link ends when its account has a password, however that was set. */
export function createPasswordLinks({
  collections: { password_links },
  users,
  clock,
  server,
}: { users: Users } & Pick<Cradle, 'collections' | 'clock' | 'server'>) {
  const find = async (token: string): Promise<{ link: PasswordLinkDocument; user: Account }> => {
    const link = await password_links.findOne({ _id: hash(token), expires_at: { $gt: clock.seconds() } })
    const user = link && (await users.find(link.user_id))
    if (!link || !user?.enabled || user.password_hash !== null) throw new AppError('PASSWORD_LINK_INVALID')
    return { link, user }
  }

  const forgetUser = async (user_id: string): Promise<void> => {
    await password_links.deleteMany({ user_id })
  }

  return {
    /** Creates a link for an account that has no password; only the result contains the token. */
    async create({ _id: user_id }: Account): Promise<PasswordLink> {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const expires_at = clock.seconds() + LINK_SECONDS
      await password_links.insertOne({
        _id: hash(token),
        user_id,
        expires_at,
        delete_at: new Date(expires_at * 1000),
      })
      const origin = server.public_url?.replace(/\/+$/, '') ?? ''
      return { set_password_url: `${origin}/set-password?token=${token}`, expires_at }
    },

    /** Returns the account of a link, and until when the link works. Throws PASSWORD_LINK_INVALID. */
    find,

    /** Sets the first password. Throws PASSWORD_LINK_INVALID, PASSWORD_TOO_WEAK, PASSWORD_CHECKS_BUSY. */
    async redeem(token: string, password: string): Promise<Account> {
      const { user } = await find(token)
      // Only one of several attempts finds the account without a password.
      const where = { password_hash: null, enabled: true }
      const changed = await users.setPassword(user._id, password, { must_change_password: false, where })
      if (!changed) throw new AppError('PASSWORD_LINK_INVALID')
      await forgetUser(user._id)
      return { ...user, password_hash: changed.password_hash }
    },

    forgetUser,
  }
}

const hash = (token: string) => createHash('sha256').update(token).digest('base64url')
