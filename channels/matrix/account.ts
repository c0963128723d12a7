import { ChannelFailure, type ChannelSettings, createTokenCache, PlatformRefusal } from '#plugin-api'
import { createApi, type MatrixApi, type Tokens } from './api.ts'
import type { MatrixConfig } from './config.ts'
import { isPassing } from './failure.ts'

type Settings = Pick<ChannelSettings<MatrixConfig>, 'config' | 'fetch'>

/** An access token, and the device that it belongs to. */
interface Login {
  access_token: string
  user_id: string
}

/**
 * Creates the source of access tokens: the one of the config, or those issued for the password, which
 * `save` stores. `stored` is the one that was stored last.
 */
export function createTokens(
  settings: Settings,
  {
    device_id,
    stored,
    save,
  }: { device_id: string; stored: string | undefined; save(token: string): Promise<void> },
  until: AbortSignal,
): Tokens {
  const { access_token } = settings.config
  if (access_token) return { get: async () => access_token }
  const api = createApi(settings, undefined, until)
  let reusable = stored
  return createTokenCache(async () => {
    let token = reusable
    reusable = undefined
    if (!token) {
      const login = await logIn(api, settings.config, device_id, until)
      token = login.access_token
      await save(token)
    }
    return { token, lifetime_ms: Number.POSITIVE_INFINITY }
  })
}

/** Signs in with the password. Throws `invalid_credentials` if the homeserver refuses it. */
async function logIn(
  api: MatrixApi,
  { user_id, password }: MatrixConfig,
  device_id: string | undefined,
  signal: AbortSignal,
): Promise<Login> {
  const body = {
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user: user_id },
    password,
    initial_device_display_name: 'Agent Platform Service',
    ...(device_id && { device_id }),
  }
  try {
    const login = await api.callAs<Login>(
      undefined,
      { method: 'POST', path: '/client/v3/login', body },
      signal,
    )
    assertSameUser(login.user_id, user_id)
    return login
  } catch (error) {
    throw toLoginFailure(error)
  }
}

function toLoginFailure(error: unknown): unknown {
  if (!(error instanceof PlatformRefusal)) return error
  if (error.code === 'M_FORBIDDEN' || error.reason === 'invalid_credentials')
    return new ChannelFailure(
      'invalid_credentials',
      'The homeserver does not accept the user ID or the password.',
    )
  if (error.code === 'M_UNKNOWN' || error.code === 'M_UNRECOGNIZED')
    return new ChannelFailure(
      'unsupported',
      'The homeserver does not let accounts sign in with a password: enter an access token.',
    )
  return error
}

function assertSameUser(actual: unknown, expected: string): void {
  if (actual !== expected)
    throw new ChannelFailure(
      'invalid_credentials',
      `These are the credentials of ${actual}, not of ${expected}.`,
    )
}

/** Checks that the token belongs to the account of the config. */
export async function checkAccount(
  api: MatrixApi,
  { user_id }: MatrixConfig,
  signal: AbortSignal,
): Promise<void> {
  const me = await api.call<{ user_id?: string }>(
    { method: 'GET', path: '/client/v3/account/whoami' },
    signal,
  )
  assertSameUser(me.user_id, user_id)
}

/** Checks that a homeserver answers at the address. Throws `not_found` if something else does. */
export async function checkHomeserver(api: MatrixApi, signal: AbortSignal): Promise<void> {
  try {
    const { versions } = await api.callAs<{ versions?: unknown }>(
      undefined,
      { method: 'GET', path: '/client/versions' },
      signal,
    )
    if (Array.isArray(versions)) return
  } catch (error) {
    const isAnswer = error instanceof ChannelFailure && !isPassing(error)
    if (!isAnswer) throw error
  }
  const named = await findNamedHomeserver(api, signal)
  throw new ChannelFailure(
    'not_found',
    named && named !== api.base
      ? `This address is not a homeserver, but it names one: enter ${named} as the homeserver.`
      : 'No Matrix homeserver answers at this address: check it.',
  )
}

/** Returns the homeserver that the site at the address names; undefined if it names none. */
async function findNamedHomeserver(api: MatrixApi, signal: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await api.fetch(`${api.base}/.well-known/matrix/client`, { redirect: 'error', signal })
    const { 'm.homeserver': homeserver } = (await answer.json()) as Record<string, { base_url?: unknown }>
    const address = homeserver?.base_url
    return typeof address === 'string' && URL.canParse(address) && address.length < 200
      ? address.replace(/\/+$/, '')
      : undefined
  } catch {
    signal.throwIfAborted()
    // Most sites have no such file.
    return undefined
  }
}

/** Tests the address and the credentials; a sign-in with the password is ended again. */
export async function probe(settings: ChannelSettings<MatrixConfig>, signal: AbortSignal): Promise<void> {
  const { config } = settings
  const open = createApi(settings, undefined, signal)
  await checkHomeserver(open, signal)
  if (config.access_token)
    return checkAccount(createApi(settings, createTokens(settings, noStore, signal), signal), config, signal)
  const { access_token } = await logIn(open, config, undefined, signal)
  await open.callAs(access_token, { method: 'POST', path: '/client/v3/logout', body: {} }, signal)
}

const noStore = { device_id: '', stored: undefined, save: async () => {} }
