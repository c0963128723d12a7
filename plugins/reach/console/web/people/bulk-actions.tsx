import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { joinNames, t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import { nameOf, type Person } from './person.ts'

interface Props {
  /** The selected accounts, at least one. */
  people: Person[]
  onDone(): void
}

/** The actions on several accounts at once. */
export function BulkActions({ people, onDone }: Props) {
  const [isAsking, setAsking] = useState(false)
  const { isBusy, error, run } = useAction()
  const setEnabled = async (enabled: boolean) => {
    try {
      for (const { username } of people.filter((person) => person.enabled !== enabled))
        await send(client.PATCH('/users/{id}', { params: { path: { id: username } }, body: { enabled } }))
    } finally {
      // Those before a failure were changed.
      await refresh('/users', '/admin/overview')
    }
    onDone()
  }
  const button = { variant: 'default', size: 'xs', disabled: isBusy } as const
  return (
    <>
      <Group gap="sm" role="group" aria-label={t('people.selection')}>
        <Text size="sm" role="status">
          {t('people.selected', { count: people.length })}
        </Text>
        <Button {...button} onClick={() => setAsking(true)}>
          {t('people.disable')}
        </Button>
        <Button {...button} onClick={() => void run(() => setEnabled(true))}>
          {t('people.enable')}
        </Button>
        <Button {...button} variant="subtle" color="gray" onClick={onDone}>
          {t('people.clear_selection')}
        </Button>
      </Group>
      {error !== undefined && <Failure error={error} />}
      {isAsking && (
        <Confirm
          title={t('people.disable_many', { count: people.length })}
          action={t('people.disable')}
          onConfirm={() => setEnabled(false)}
          onClose={() => setAsking(false)}
        >
          {joinNames(people.slice(0, 10).map(nameOf))}
          {people.length > 10 && '…'} {t('people.disable_about')}
        </Confirm>
      )}
    </>
  )
}
