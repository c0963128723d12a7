import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Empty } from '../ui/empty.tsx'
import { KeySquare } from '../ui/icons.ts'
import { asRows, List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { State } from '../ui/state.tsx'
import { EditService } from './edit-service.tsx'

type Method = components['schemas']['SignInMethod']

/** The services that people can sign in with. */
export default function SsoPage() {
  const methods = api.useQuery('get', '/auth/oauth/status')
  const [open, setOpen] = useState<Method>()
  return (
    <Page title={t('frame.sso')} about={t('sso.about')}>
      <List
        {...asRows({ ...methods, data: methods.data?.providers })}
        label={t('frame.sso')}
        keyOf={({ kind }) => kind}
        empty={<Empty title={t('frame.sso')}>{t('sso.about')}</Empty>}
      >
        {(method) => (
          <ListRow
            icon={<KeySquare size={16} aria-hidden />}
            title={method.display_name}
            meta={method.kind === 'oidc' ? t('sso.oidc_about') : undefined}
            onOpen={() => setOpen(method)}
          >
            {method.enabled ? (
              <State tone="on">{t('sso.on')}</State>
            ) : (
              <State tone="off">{t('sso.off')}</State>
            )}
          </ListRow>
        )}
      </List>
      {open && <EditService kind={open.kind} name={open.display_name} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}
