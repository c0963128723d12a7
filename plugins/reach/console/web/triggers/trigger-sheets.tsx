import { Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { t } from '../i18n/words.ts'
import { Confirm } from '../ui/confirm.tsx'
import { useDraft } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { PublicAddress } from '../ui/public-address.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import { exampleCommand } from './example.ts'
import { TriggerFields } from './trigger-fields.tsx'
import {
  addressOf,
  createTrigger,
  newValues,
  readTrigger,
  replaceSecret,
  type Trigger,
  type TriggerWithSecret,
  updateTrigger,
  valuesOf,
} from './trigger-form.ts'

/** Makes a trigger, and then shows how to call it. */
export function NewTrigger({ agentId, onClose }: { agentId: string; onClose(): void }) {
  const draft = useDraft(newValues)
  const [created, setCreated] = useState<TriggerWithSecret>()
  if (created) return <CallSheet trigger={created} isOwnSecret={!draft.value.secret} onClose={onClose} />
  return (
    <Sheet
      title={t('triggers.new')}
      isDirty={draft.isDirty}
      onSave={async () => setCreated(await createTrigger(agentId, draft.value))}
      closesOnSave={false}
      saveLabel={t('triggers.create')}
      onClose={onClose}
    >
      <TriggerFields values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}

interface Props {
  agentId: string
  trigger: Trigger
  onClose(): void
}

/** Changes a trigger, as it is stored now. */
export function EditTrigger({ agentId, trigger, onClose }: Props) {
  return (
    <EditSheet
      title={trigger.name}
      id={trigger.id}
      read={() => readTrigger(agentId, trigger)}
      valuesOf={({ data }) => valuesOf(data)}
      save={({ tag }, base, values) => updateTrigger(agentId, trigger, { base, values, tag })}
      onClose={onClose}
    >
      {(values, onChange) => (
        <>
          <ShownOnce label={t('triggers.address')} text={addressOf(trigger)} />
          <TriggerFields isStored values={values} onChange={onChange} />
        </>
      )}
    </EditSheet>
  )
}

/** Replaces the secret of a trigger after a confirmation, and shows the new one. */
export function ReplaceSecret({ agentId, trigger, onClose }: Props) {
  const [secret, setSecret] = useState<string>()
  const isReplaced = useRef(false)
  if (secret !== undefined)
    return <CallSheet trigger={{ ...trigger, secret }} isOwnSecret onClose={onClose} />
  return (
    <Confirm
      title={t('triggers.new_secret_title', { name: trigger.name })}
      action={t('triggers.new_secret')}
      onConfirm={async () => {
        setSecret(await replaceSecret(agentId, trigger))
        isReplaced.current = true
      }}
      // The confirmation closes in any case; the new secret is still to be shown.
      onClose={() => isReplaced.current || onClose()}
    >
      {t('triggers.new_secret_about')}
    </Confirm>
  )
}

interface CallProps {
  trigger: TriggerWithSecret
  /** True if this server has made the secret. */
  isOwnSecret: boolean
  onClose(): void
}

/** Shows the address of a trigger, its secret and a command that calls it. */
function CallSheet({ trigger, isOwnSecret, onClose }: CallProps) {
  const { scheme } = trigger.verify
  const url = addressOf(trigger)
  const command = exampleCommand(scheme, { ...trigger, url })
  return (
    <Sheet title={trigger.name} onClose={onClose} width={560}>
      <Text size="sm">{t(`triggers.next_${scheme}`)}</Text>
      <PublicAddress isNamedByServer />
      <ShownOnce label={t('triggers.address')} text={url} />
      {isOwnSecret && scheme !== 'stripe' && (
        <ShownOnce
          label={t(scheme === 'token' ? 'triggers.token' : 'triggers.secret')}
          description={t('triggers.secret_once')}
          text={trigger.secret}
        />
      )}
      {command && (
        <ShownOnce label={t('triggers.example')} description={t('triggers.example_help')} text={command} />
      )}
    </Sheet>
  )
}
