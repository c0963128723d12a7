import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { CodeSheet } from '../two-factor/code-sheet.tsx'
import { SetUpSheet } from '../two-factor/set-up-sheet.tsx'
import { useTotpSetup } from '../two-factor/use-totp-setup.ts'
import { Failure } from '../ui/failure.tsx'
import { Smartphone } from '../ui/icons.ts'
import listClasses from '../ui/list.module.css'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { useAction } from '../ui/use-action.ts'

type Totp = components['schemas']['TotpState']

/** The authenticator app of the account. */
export function TwoFactor() {
  const totp = api.useQuery('get', '/auth/totp')
  const setup = useTotpSetup()
  const { isBusy, error, run } = useAction()
  const [asking, setAsking] = useState<'remove' | 'renew'>()
  const { data } = totp
  const start = () => run(() => setup.start(data?.enabled ?? false))
  return (
    <Section title={t('two-factor.title')} about={t('two-factor.about')}>
      {totp.error && <Failure error={totp.error} onRetry={totp.refetch} />}
      {data && (
        <ul className={listClasses.rows} aria-label={t('two-factor.title')}>
          <ListRow
            icon={<Smartphone size={16} aria-hidden />}
            title={t('two-factor.app')}
            meta={<Facts totp={data} />}
          >
            {data.enabled ? (
              <>
                <State tone="on">{t('two-factor.on')}</State>
                <RowMenu
                  name={t('two-factor.app')}
                  onDelete={data.required ? undefined : () => setAsking('remove')}
                  deleteLabel={t('two-factor.remove')}
                >
                  <Menu.Item onClick={() => setAsking('renew')}>{t('two-factor.new_codes')}</Menu.Item>
                  <Menu.Item onClick={start}>{t('two-factor.replace')}</Menu.Item>
                </RowMenu>
              </>
            ) : (
              <Button size="xs" variant="default" loading={isBusy} onClick={start}>
                {t('two-factor.set_up')}
              </Button>
            )}
          </ListRow>
        </ul>
      )}
      {error !== undefined && <Failure error={error} />}
      {setup.step && <SetUpSheet setup={setup} step={setup.step} />}
      {asking && <CodeSheet action={asking} onClose={() => setAsking(undefined)} />}
    </Section>
  )
}

function Facts({ totp: { enabled, required, last_used_at, recovery_codes_left } }: { totp: Totp }) {
  if (!enabled) return t(required ? 'two-factor.required' : 'two-factor.off')
  return (
    <>
      {t('account.last_used')} {last_used_at !== null && <Time at={last_used_at} />}
      {' · '}
      {t('two-factor.codes_left', { count: recovery_codes_left })}
    </>
  )
}
