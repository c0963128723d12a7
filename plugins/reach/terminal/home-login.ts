import type { Cradle } from './manifest.ts'

/**
 * Opens a session of an account for a command on the home of a server, which needs no password; returns its token. Throws
 * a sentence if the account cannot sign in.
 */
export async function openOnHome(
  username: string,
  { logins, users }: Pick<Cradle, 'logins' | 'users'>,
): Promise<string> {
  const account = await users.findByUsername(username)
  if (!account?.enabled) throw new Error(`The account "${username}" does not exist here, or is disabled.`)
  const origin = { ip: '127.0.0.1', user_agent: 'svc' }
  const { access_token, user } = await logins.open(account, origin, 'password')
  if (user.required_actions?.length)
    throw new Error(`${username} has to complete the sign-in in the console first.`)
  return access_token
}
