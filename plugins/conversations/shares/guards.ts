import type { ContextOf, Guard } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { shareParams } from './schemas.ts'

/** Finds the share in the path for an account, or for a stranger if the share is for strangers too. */
export const shareReaderGuard: Guard<'share_reader', Cradle> = {
  after: 'visitor',
  description:
    'A share with the audience `accounts` needs a session; `link` needs none where the server allows it.',
  params: shareParams.properties,
  errors: ['NOT_FOUND', 'AUTH_FAILED', 'RATE_LIMITED'],
  async check(request, { callLimit, shares }, { caller }: ContextOf<'visitor'>) {
    // The address is the secret: no search engine may keep it, and no other site may learn it.
    request.setHeader('X-Robots-Tag', 'noindex, nofollow')
    request.setHeader('Referrer-Policy', 'no-referrer')
    if (!caller) await callLimit.consume('shared', request.ip, 'many')
    return { share: await shares.findForReader(request.params.share_id ?? '', caller) }
  },
}
