import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { PasswordField } from '../sign-in/password-form.tsx'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import { nameOf, type Person } from './person.ts'

/** Sets another password for an account, which ends its sessions and a lock. */
export function ResetPassword({ person, onClose }: { person: Person; onClose(): void }) {
  const [new_password, setPassword] = useState('')
  const { isBusy, error, run } = useAction()
  const reset = async () => {
    const params = { path: { id: person.username } }
    await send(client.POST('/users/{id}/reset-password', { params, body: { new_password } }))
    await refresh('/users')
    onClose()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('people.reset_title', { name: nameOf(person) })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <Stack gap="md">
        <Text size="sm">{t('people.reset_about')}</Text>
        <PasswordField
          label={t('sign-in.new_password')}
          description={t('sign-in.password_rules')}
          autoComplete="new-password"
          withAsterisk={false}
          value={new_password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus
        />
        {error !== undefined && <Failure error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button loading={isBusy} disabled={new_password.length < 8} onClick={() => run(reset)}>
            {t('people.reset_password')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
