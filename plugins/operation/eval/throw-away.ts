import { randomBytes } from 'node:crypto'
import type { Client } from '#client'
import { RefusedError, readData } from './replies.ts'

/** Permissions of this category let people administrate, which no test of an agent needs. */
const ADMINISTRATION = 'admin'

/** An account that exists only for one run. */
export interface ThrowAwayAccount {
  username: string
  client: Client
  /** Removes the account with all that it has. */
  remove(): Promise<void>
}

/**
 * Creates an account with the permissions of the operator, apart from those to administrate, and signs it in. Throws a
 * sentence; nothing is left then.
 */
export async function createThrowAway(service: Client, url: string): Promise<ThrowAwayAccount> {
  const [me, catalog] = await Promise.all([
    readData(service.GET('/auth/me')),
    readData(service.GET('/users/permissions')),
  ])
  const permissions = catalog
    .filter(({ key, category }) => category !== ADMINISTRATION && me.permissions.includes(key))
    .map(({ key }) => key)
  const username = `eval-${randomBytes(5).toString('hex')}`
  const password = `${randomBytes(24).toString('base64url')}-7a`
  const body = { username, password, permissions, display_name: 'svc eval', locale: me.locale }
  await readData(service.POST('/users', { body })).catch((error: unknown) => {
    if (!(error instanceof RefusedError) || error.status !== 403) throw error
    throw new Error('svc eval creates an account for its turns, for which you need the permission "users".')
  })
  const remove = async () => {
    await readData(service.DELETE('/users/{id}', { params: { path: { id: username } } }))
  }
  try {
    const { createClient } = await import('#client')
    const signIn = async () => {
      const login = await readData(
        createClient({ baseUrl: url }).POST('/auth/login', { body: { username, password } }),
      )
      if (login.user.required_actions?.length)
        throw new Error(
          'This server requires two-factor sign-in of every account, which svc eval cannot set up.',
        )
      return login.access_token
    }
    const client = createClient({ baseUrl: url, getToken: signIn })
    await readData(client.GET('/auth/me'))
    return { username, client, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
