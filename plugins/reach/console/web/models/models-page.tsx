import { Button, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { useAccount } from '../session/account.ts'
import { Plus } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { ActiveModel } from './active-model.tsx'
import { AddProvider } from './add-provider.tsx'
import type { Provider } from './provider-form.ts'
import { ProviderList } from './provider-list.tsx'
import { ServerModels } from './server-models.tsx'

/** The models: the providers of one's own, those for everyone, and the model that agents use by default. */
export default function ModelsPage() {
  const isAdmin = useAccount().role === 'admin'
  const providers = useRows('/providers')
  const [adding, setAdding] = useState<Provider['scope']>()
  const own = providers.rows?.filter(({ scope }) => scope === 'user')
  const global = providers.rows?.filter(({ scope }) => scope === 'global')
  return (
    <Page
      title={t('models.title')}
      about={t('models.about')}
      actions={
        <Button leftSection={<Plus size={16} />} onClick={() => setAdding(isAdmin ? 'global' : 'user')}>
          {t('models.add')}
        </Button>
      }
    >
      <ActiveModel canChoose={isAdmin} />
      {isAdmin && <ServerModels />}
      <Stack gap="sm" component="section">
        <Title order={2} size="h5">
          {t('models.own')}
        </Title>
        <ProviderList
          {...providers}
          rows={own}
          label={t('models.own')}
          empty="own"
          canChange
          onAdd={() => setAdding('user')}
        />
      </Stack>
      <Stack gap="sm" component="section">
        <Title order={2} size="h5">
          {t('models.global')}
        </Title>
        <ProviderList
          {...providers}
          rows={global}
          label={t('models.global')}
          empty="global"
          canChange={isAdmin}
          onAdd={() => setAdding('global')}
        />
      </Stack>
      {adding && (
        <AddProvider
          scope={adding}
          names={providers.rows?.map(({ name }) => name) ?? []}
          onClose={() => setAdding(undefined)}
        />
      )}
    </Page>
  )
}
