import type { APIApplication, APIUser } from 'discord-api-types/v10'
import type { ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { missingIntent } from './failure.ts'

/** Flags of applications that may read messages: of verified ones, and of those in fewer than 100 servers. */
const CONTENT_INTENT = (1 << 18) | (1 << 19)

/** Resolves if the token works and its bot may read messages. */
export async function probe(settings: ChannelSettings, signal: AbortSignal): Promise<void> {
  const api = await createApi(settings, signal)
  try {
    await api.call<APIUser>({ method: 'get', path: '/users/@me' })
    const { flags } = await api.call<APIApplication>({ method: 'get', path: '/applications/@me' })
    if (((flags ?? 0) & CONTENT_INTENT) === 0) throw missingIntent()
  } finally {
    api.close()
  }
}
