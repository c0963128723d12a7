import { Button } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Laptop, Smartphone } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { useAction } from '../ui/use-action.ts'
import { describeDevice, isPhone } from './device.ts'

/** Where the account is signed in; other sessions can be ended. */
export function Sessions() {
  const sessions = useRows('/auth/sessions')
  const { isBusy, error, run } = useAction()
  const others = sessions.rows?.filter(({ current }) => !current) ?? []

  const end = (ended: { id: string }[]) =>
    run(async () => {
      const calls = ended.map(({ id }) => client.DELETE('/auth/sessions/{id}', { params: { path: { id } } }))
      await Promise.all(calls.map(send)).finally(() => refresh('/auth/sessions'))
    })
  return (
    <Section
      title={t('account.sessions')}
      about={t('account.sessions_about')}
      actions={
        others.length > 0 && (
          <Button size="xs" variant="default" loading={isBusy} onClick={() => end(others)}>
            {t('account.end_others')}
          </Button>
        )
      }
    >
      {error !== undefined && <Failure error={error} />}
      <List
        {...sessions}
        label={t('account.sessions')}
        keyOf={({ id }) => id}
        empty={<Empty title={t('account.sessions')}>{t('account.sessions_about')}</Empty>}
      >
        {(session) => (
          <ListRow
            icon={isPhone(session.user_agent) ? <Smartphone size={16} /> : <Laptop size={16} />}
            title={describeDevice(session.user_agent)}
            meta={
              <>
                {session.ip} · <Time at={session.created_at} />
              </>
            }
          >
            {session.current ? (
              <State tone="on">{t('account.this_session')}</State>
            ) : (
              <Button size="xs" variant="default" disabled={isBusy} onClick={() => end([session])}>
                {t('account.end_session')}
              </Button>
            )}
          </ListRow>
        )}
      </List>
    </Section>
  )
}
