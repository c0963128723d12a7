import { Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { t } from '../i18n/words.ts'
import { Confirm } from '../ui/confirm.tsx'
import { useDraft } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import { WebhookFields } from './webhook-fields.tsx'
import {
  createWebhook,
  readWebhook,
  replaceSecret,
  updateWebhook,
  type Webhook,
  type WebhookValues,
} from './webhook-form.ts'

/** Makes a webhook, and then shows its secret. */
export function NewWebhook({ onClose }: { onClose(): void }) {
  const draft = useDraft<WebhookValues>({ url: '', events: [], agent_id: null })
  const [secret, setSecret] = useState<string>()
  if (secret !== undefined) return <SecretSheet secret={secret} onClose={onClose} />
  return (
    <Sheet
      title={t('webhooks.new')}
      isDirty={draft.isDirty}
      onSave={async () => setSecret(await createWebhook(draft.value))}
      closesOnSave={false}
      saveLabel={t('webhooks.create')}
      onClose={onClose}
    >
      <WebhookFields values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}

/** Changes a webhook, as it is stored now. */
export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  return (
    <EditSheet
      title={t('webhooks.edit')}
      id={webhook.id}
      read={() => readWebhook(webhook)}
      valuesOf={({ data: { url, events, agent_id } }): WebhookValues => ({ url, events, agent_id })}
      save={({ tag }, base, values) => updateWebhook(webhook, base, values, tag)}
      onClose={onClose}
    >
      {(values, onChange) => <WebhookFields values={values} onChange={onChange} />}
    </EditSheet>
  )
}

/** Replaces the secret of a webhook after a confirmation, and shows the new one. */
export function ReplaceSecret({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [secret, setSecret] = useState<string>()
  const isReplaced = useRef(false)
  if (secret !== undefined) return <SecretSheet secret={secret} onClose={onClose} />
  return (
    <Confirm
      title={t('webhooks.new_secret_title')}
      action={t('webhooks.new_secret')}
      onConfirm={async () => {
        setSecret(await replaceSecret(webhook))
        isReplaced.current = true
      }}
      // The confirmation closes in any case; the new secret is still to be shown.
      onClose={() => isReplaced.current || onClose()}
    >
      {t('webhooks.new_secret_about')}
    </Confirm>
  )
}

const SecretSheet = ({ secret, onClose }: { secret: string; onClose(): void }) => (
  <Sheet title={t('webhooks.secret')} onClose={onClose}>
    <Text size="sm">{t('webhooks.secret_about')}</Text>
    <ShownOnce label={t('webhooks.secret')} text={secret} />
  </Sheet>
)
