import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { Page } from '../ui/page.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'

interface Props {
  actions: ReactNode
  children: ReactNode
}

/** The page of people, which has their groups beside them. */
export const PeopleArea = ({ actions, children }: Props) => (
  <Page title={t('frame.people')} about={t('people.about')} actions={actions}>
    <PageTabs
      label={t('people.tabs')}
      tabs={[
        { to: '/people', label: t('people.accounts') },
        { to: '/people/groups', label: t('groups.title') },
      ]}
    />
    {children}
  </Page>
)
