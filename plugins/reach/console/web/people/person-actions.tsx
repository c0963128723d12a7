import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { Section } from '../ui/section.tsx'
import { useAction } from '../ui/use-action.ts'
import { nameOf, type Person } from './person.ts'
import { ResetPassword } from './reset-password.tsx'

interface Props {
  person: Person
  onClose(): void
}

/** Actions on an account that apply at once. Nobody can disable or delete their own. */
export function PersonActions({ person, onClose }: Props) {
  const isSelf = useAccount().id === person.id
  const [asking, setAsking] = useState<'reset' | 'factors' | 'disable' | 'delete'>()
  const { isBusy, error, run } = useAction()
  const params = { path: { id: person.username } }
  const name = nameOf(person)

  const finish = async (call: Promise<unknown>) => {
    await call
    await refresh('/users', '/admin/overview')
    onClose()
  }
  const setEnabled = (enabled: boolean) =>
    finish(send(client.PATCH('/users/{id}', { params, body: { enabled } })))
  const button = { variant: 'default', size: 'xs', disabled: isBusy } as const
  const dismiss = () => setAsking(undefined)
  return (
    <Section title={t('people.actions')}>
      <Group gap="sm">
        {person.login_locked && (
          <Button
            {...button}
            onClick={() => run(() => finish(send(client.POST('/users/{id}/unlock-login', { params }))))}
          >
            {t('people.unlock')}
          </Button>
        )}
        {!isSelf && (
          <>
            <Button {...button} onClick={() => setAsking('reset')}>
              {t('people.reset_password')}
            </Button>
            {person.second_factors && (
              <Button {...button} onClick={() => setAsking('factors')}>
                {t('people.reset_factors')}
              </Button>
            )}
            {person.enabled ? (
              <Button {...button} onClick={() => setAsking('disable')}>
                {t('people.disable')}
              </Button>
            ) : (
              <Button {...button} onClick={() => run(() => setEnabled(true))}>
                {t('people.enable')}
              </Button>
            )}
            <Button {...button} c="var(--danger)" onClick={() => setAsking('delete')}>
              {t('people.delete')}
            </Button>
          </>
        )}
      </Group>
      {error !== undefined && <Failure error={error} />}
      {asking === 'reset' && <ResetPassword person={person} onClose={dismiss} />}
      {asking === 'factors' && (
        <Confirm
          title={t('people.reset_factors_title', { name })}
          action={t('people.reset_factors')}
          onConfirm={() => finish(send(client.DELETE('/users/{id}/second-factors', { params })))}
          onClose={dismiss}
        >
          {t('people.reset_factors_about')}
        </Confirm>
      )}
      {asking === 'disable' && (
        <Confirm
          title={t('people.disable_title', { name })}
          action={t('people.disable')}
          onConfirm={() => setEnabled(false)}
          onClose={dismiss}
        >
          {t('people.disable_about')}
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm
          title={t('people.delete_title', { name })}
          action={t('people.delete')}
          name={person.username}
          onConfirm={() => finish(send(client.DELETE('/users/{id}', { params })))}
          onClose={dismiss}
        >
          {t('people.delete_about')}
        </Confirm>
      )}
    </Section>
  )
}
