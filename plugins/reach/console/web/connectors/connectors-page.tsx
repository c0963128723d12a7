import { Alert, Button } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { may, useAccount } from '../session/account.ts'
import { Empty } from '../ui/empty.tsx'
import { Plus } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { AddConnector } from './add-connector.tsx'
import { type Connector, needsSignIn } from './connector-form.ts'
import { ConnectorList } from './connector-list.tsx'
import SignIn from './sign-in.tsx'

/** The connectors that the account can use: its own, and those for everyone. */
export default function ConnectorsPage() {
  const connectors = useRows('/connectors', { query: { limit: 200 } }, { staleTime: 0 })
  const { connector_error: reason } = useSearch({ from: '/connectors' })
  const [isAdding, setAdding] = useState(false)
  const [newConnector, setNewConnector] = useState<Connector>()
  const add = may(useAccount(), 'connectors') && (
    <Button leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
      {t('connectors.add')}
    </Button>
  )
  return (
    <Page title={t('frame.connectors')} about={t('connectors.about')} actions={add}>
      {reason && (
        <Alert color="red" variant="light" role="alert">
          {t(`connectors.sign_in_${reason}`)}
        </Alert>
      )}
      <ConnectorList
        {...connectors}
        empty={
          <Empty title={t('connectors.empty')} action={add}>
            {t(add ? 'connectors.empty_about' : 'connectors.empty_ask')}
          </Empty>
        }
      />
      {isAdding && (
        <AddConnector
          names={connectors.rows?.map(({ name }) => name) ?? []}
          onCreated={setNewConnector}
          onClose={() => setAdding(false)}
        />
      )}
      {newConnector && needsSignIn(newConnector) && (
        <SignIn connector={newConnector} onClose={() => setNewConnector(undefined)} />
      )}
    </Page>
  )
}
