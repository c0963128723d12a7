import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import type { Share } from './share-links.ts'

/** Who can open a link, what it shows, how long it works and how often it was opened. */
export function ShareFacts({ share }: { share: Share }) {
  const { audience, include_steps, updated_at, expires_at, views } = share
  const facts = [
    t(audience === 'link' ? 'shares.link' : 'shares.accounts'),
    include_steps && t('shares.with_steps'),
    t('shares.as_of', { date: formatDate(updated_at) }),
    expires_at !== null && t('shares.until', { date: formatDate(expires_at) }),
    t('shares.views', { count: views }),
  ]
  return <>{facts.filter(Boolean).join(' · ')}</>
}
