import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Page } from '../ui/page.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'

interface Props {
  actions?: ReactNode
  children: ReactNode
}

/** The page of usage, which has the prices of models beside it for administrators. */
export const UsageArea = ({ actions, children }: Props) => (
  <Page title={t('frame.usage')} about={t('usage.about')} actions={actions}>
    {useAccount().role === 'admin' && (
      <PageTabs
        label={t('usage.tabs')}
        tabs={[
          { to: '/usage', label: t('usage.spending') },
          { to: '/usage/prices', label: t('usage.prices') },
        ]}
      />
    )}
    {children}
  </Page>
)
