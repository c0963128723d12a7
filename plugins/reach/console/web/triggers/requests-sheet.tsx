import { formatBytes, formatDate } from '../i18n/format.ts'
import { joinNames, t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { State } from '../ui/state.tsx'
import type { Trigger } from './trigger-form.ts'

const TONES = { received: 'changing', started: 'on', queued: 'waiting', refused: 'failed' } as const

interface Props {
  agentId: string
  trigger: Trigger
  onClose(): void
}

/** The requests that came; each leads to the conversation that it started. */
export function RequestsSheet({ agentId, trigger: { id: trigger_id, name }, onClose }: Props) {
  const requests = useRows('/agents/{id}/triggers/{trigger_id}/deliveries', {
    path: { id: agentId, trigger_id },
  })
  return (
    <Sheet title={t('triggers.requests_of', { name })} onClose={onClose}>
      <List
        {...requests}
        label={t('triggers.requests')}
        keyOf={({ id, received_at }) => `${id} ${received_at}`}
        empty={<Empty title={t('triggers.no_requests')}>{t('triggers.no_requests_about')}</Empty>}
      >
        {({ received_at, status, repeats, thread_id, bytes, missing, error }) => (
          <ListRow
            title={formatDate(received_at)}
            meta={
              <>
                {[formatBytes(bytes), repeats > 0 && t('triggers.repeats', { count: repeats })]
                  .filter(Boolean)
                  .join(' · ')}
                {missing.length > 0 && <div>{t('triggers.missing', { paths: joinNames(missing) })}</div>}
                {error && <div>{error.message}</div>}
              </>
            }
            {...(thread_id && {
              link: { to: '/chat/$agent/$thread', params: { agent: agentId, thread: thread_id } },
            })}
          >
            <State tone={TONES[status]}>{t(`triggers.status_${status}`)}</State>
          </ListRow>
        )}
      </List>
    </Sheet>
  )
}
