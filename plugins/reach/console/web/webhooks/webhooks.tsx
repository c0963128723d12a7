import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { joinNames, t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Link2, Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Outcome } from '../ui/outcome.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { DeliveriesSheet } from './deliveries-sheet.tsx'
import { EVENT_WORDS } from './webhook-fields.tsx'
import { type Delivery, deleteWebhook, enableWebhook, testWebhook, type Webhook } from './webhook-form.ts'
import { EditWebhook, NewWebhook, ReplaceSecret } from './webhook-sheets.tsx'

type Dialog = 'edit' | 'deliveries' | 'secret'

/** The addresses that the server notifies of events of the account. */
export function Webhooks() {
  const webhooks = useRows('/webhooks')
  const [isAdding, setAdding] = useState(false)
  const [open, setOpen] = useState<{ dialog: Dialog; webhook: Webhook }>()
  const [tested, setTested] = useState<{ webhook: Webhook; delivery: Delivery }>()
  const { error, run } = useAction()
  const close = () => setOpen(undefined)
  const show = (dialog: Dialog, webhook: Webhook) => {
    setTested(undefined)
    setOpen({ dialog, webhook })
  }

  const test = (webhook: Webhook) =>
    run(async () => {
      setTested(undefined)
      setTested({ webhook, delivery: await testWebhook(webhook) })
    })
  const add = (
    <Button size="xs" variant="default" leftSection={<Plus size={14} />} onClick={() => setAdding(true)}>
      {t('webhooks.add')}
    </Button>
  )
  return (
    <Section
      title={t('webhooks.title')}
      about={t('webhooks.about')}
      actions={webhooks.rows && webhooks.rows.length > 0 && add}
    >
      {error !== undefined && <Failure error={error} />}
      {tested && <TestResult {...tested} />}
      <List
        {...webhooks}
        label={t('webhooks.title')}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t('webhooks.empty')} action={add}>
            {t('webhooks.empty_about')}
          </Empty>
        }
      >
        {(webhook) => (
          <ListRow
            icon={<Link2 size={16} aria-hidden />}
            title={nameOf(webhook)}
            meta={
              <>
                {joinNames(webhook.events.map((event) => t(EVENT_WORDS[event])))}
                <Trouble {...webhook} />
              </>
            }
            onOpen={() => show('edit', webhook)}
          >
            {webhook.failing_since !== null && <State tone="failed">{t('webhooks.failing')}</State>}
            <Toggle
              aria-label={t('webhooks.enable', { name: nameOf(webhook) })}
              checked={webhook.enabled}
              onToggle={(enabled) => run(() => enableWebhook(webhook, enabled))}
            />
            <RowMenu
              name={nameOf(webhook)}
              onEdit={() => show('edit', webhook)}
              deletion={{ about: t('webhooks.delete_about'), run: () => deleteWebhook(webhook) }}
            >
              <Menu.Item onClick={() => test(webhook)}>{t('webhooks.test')}</Menu.Item>
              <Menu.Item onClick={() => show('deliveries', webhook)}>{t('webhooks.deliveries')}</Menu.Item>
              <Menu.Item onClick={() => show('secret', webhook)}>{t('webhooks.new_secret')}</Menu.Item>
            </RowMenu>
          </ListRow>
        )}
      </List>
      {isAdding && <NewWebhook onClose={() => setAdding(false)} />}
      {open?.dialog === 'edit' && <EditWebhook webhook={open.webhook} onClose={close} />}
      {open?.dialog === 'deliveries' && <DeliveriesSheet webhook={open.webhook} onClose={close} />}
      {open?.dialog === 'secret' && <ReplaceSecret webhook={open.webhook} onClose={close} />}
    </Section>
  )
}

const nameOf = ({ url }: Webhook) => url.replace(/^https?:\/\//i, '')

/** The outcome of a test in a sentence. */
function TestResult({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const isDelivered = delivery.status === 'delivered'
  return (
    <Outcome color={isDelivered ? 'green' : 'red'} isUrgent detail={delivery.error?.message}>
      {t(isDelivered ? 'webhooks.test_passed' : 'webhooks.test_failed', { name: nameOf(webhook) })}
    </Outcome>
  )
}

/** Since when deliveries fail, or why the server has switched the webhook off. */
function Trouble({ disabled_reason, failing_since }: Webhook) {
  if (disabled_reason) return <div>{t(`webhooks.disabled_${disabled_reason}`)}</div>
  if (failing_since === null) return null
  return (
    <div>
      {t('webhooks.failing_since')} <Time at={failing_since} />
    </div>
  )
}
