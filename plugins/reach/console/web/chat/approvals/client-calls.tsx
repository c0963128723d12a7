import { t } from '../../i18n/words.ts'
import { Time } from '../../ui/time.tsx'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'

/** A turn that waits for results of the program that asked, which nobody decides here. */
export function ClientCalls({ pending: { action_requests, expires_at } }: { pending: PendingApproval }) {
  return (
    <section className={classes.card} aria-label={t('approvals.program_title')}>
      <header className={classes.head}>
        <span>{t('approvals.program_title')}</span>
        <span className={classes.expiry}>
          {t('approvals.ends')} <Time at={expires_at} />
        </span>
      </header>
      <p className={classes.note}>
        {t('approvals.program', { names: action_requests.map(({ name }) => name).join(', ') })}
      </p>
    </section>
  )
}
