import { Button } from '@mantine/core'
import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { useAction } from '../ui/use-action.ts'
import { EVENT_WORDS } from './webhook-fields.tsx'
import { type Delivery, retryDelivery, type Webhook } from './webhook-form.ts'

const TONES = { pending: 'changing', delivered: 'on', failed: 'failed' } as const

/** The deliveries of a webhook with their outcomes; each can be sent again. */
export function DeliveriesSheet({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const deliveries = useRows('/webhooks/{id}/deliveries', { path: { id: webhook.id } })
  const { isBusy, error, run } = useAction()
  return (
    <Sheet title={t('webhooks.deliveries')} onClose={onClose} width={560}>
      {error !== undefined && <Failure error={error} />}
      <List
        {...deliveries}
        label={t('webhooks.deliveries')}
        keyOf={({ id }) => id}
        empty={<Empty title={t('webhooks.no_deliveries')}>{t('webhooks.no_deliveries_about')}</Empty>}
      >
        {(delivery) => (
          <ListRow title={nameOf(delivery)} meta={<DeliveryFacts {...delivery} />}>
            <State tone={TONES[delivery.status]}>{t(`webhooks.status_${delivery.status}`)}</State>
            {delivery.status !== 'pending' && (
              <Button
                size="xs"
                variant="default"
                disabled={isBusy}
                onClick={() => run(() => retryDelivery(webhook, delivery))}
              >
                {t('webhooks.send_again')}
              </Button>
            )}
          </ListRow>
        )}
      </List>
    </Sheet>
  )
}

function nameOf({ event }: Delivery): string {
  const word = Object.hasOwn(EVENT_WORDS, event) && EVENT_WORDS[event as keyof typeof EVENT_WORDS]
  if (word) return t(word)
  return event === 'webhook.test' ? t('webhooks.test_event') : event
}

/** When a delivery was made, how often it was sent, and why it failed. */
function DeliveryFacts({ created_at, attempts, response_status, next_attempt_at, error }: Delivery) {
  const facts = [
    formatDate(created_at),
    attempts > 1 && t('webhooks.attempts', { count: attempts }),
    response_status !== null && t('webhooks.answer', { status: String(response_status) }),
  ]
  return (
    <>
      {facts.filter(Boolean).join(' · ')}
      {error && <div>{error.message}</div>}
      {error && next_attempt_at !== null && (
        <div>
          {t('webhooks.next_attempt')} <Time at={next_attempt_at} />
        </div>
      )}
    </>
  )
}
