import { useSearch } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { AgentStorage } from './agent-storage.tsx'
import { Workspaces } from './workspaces.tsx'

/** The sizes of the workspaces of the account, or the files of the agent in the address by size. */
export default function StoragePage() {
  const { agent } = useSearch({ from: '/storage' })
  const storage = api.useQuery('get', '/workspaces', {}, { staleTime: 0 })
  return (
    <Page title={t('storage.title')} about={t('storage.about')}>
      {!storage.data ? (
        <Pending error={storage.error} refetch={storage.refetch} height={160} />
      ) : agent === undefined ? (
        <Workspaces storage={storage.data} />
      ) : (
        <AgentStorage key={agent} id={agent} storage={storage.data} />
      )}
    </Page>
  )
}
