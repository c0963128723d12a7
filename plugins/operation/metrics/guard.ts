import { createHash, timingSafeEqual } from 'node:crypto'
import type { Guard } from '#kernel'
import type { Cradle } from './manifest.ts'

const hash = (text: string) => createHash('sha256').update(text).digest()

/** Admits administrators, and the token of `plugins.metrics.token`, which is no account's. */
export const metricsReaderGuard: Guard<'metrics_reader', Cradle> = {
  after: 'admin',
  description: 'For administrators, and for the bearer token of `SVC_METRICS_TOKEN`.',
  bypass({ headers }, { config: { token } }) {
    const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    return token !== undefined && given !== undefined && timingSafeEqual(hash(given), hash(token))
  },
  check: () => ({}),
}
