import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../i18n/words.ts'

const MAX_REASON = 8000

interface Props {
  isBusy: boolean
  /** The word on the button. */
  label: string
  onCancel(): void
  onSubmit(reason: string): void
}

/** Asks in one line why an action is refused; the agent reads the reason. */
export function RejectForm({ isBusy, label, onCancel, onSubmit }: Props) {
  const [reason, setReason] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(reason.trim())
      }}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <Group gap="sm" align="flex-end">
        <TextInput
          flex={1}
          miw={180}
          size="xs"
          label={t('approvals.reason')}
          placeholder={t('approvals.reason_example')}
          maxLength={MAX_REASON}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          ref={(field) => field?.focus()}
        />
        <Button size="xs" color="red" type="submit" loading={isBusy}>
          {label}
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </Group>
    </form>
  )
}
