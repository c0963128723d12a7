import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Pending } from '../ui/pending.tsx'
import { UsedBar } from '../ui/used-bar.tsx'
import { LargestFiles } from './largest-files.tsx'
import type { Storage } from './workspaces.tsx'

/** The files of an agent by size. The size of the workspace is shown to the owner of the agent only. */
export function AgentStorage({ id, storage }: { id: string; storage: Storage }) {
  const agent = api.useQuery('get', '/agents/{id}', { params: { path: { id } } })
  const workspace = storage.workspaces.find(({ agent_id }) => agent_id === id)
  if (!agent.data) return <Pending error={agent.error} refetch={agent.refetch} height={160} />
  const mayDelete = agent.data.can_edit
  return (
    <>
      <Breadcrumbs component="nav" aria-label={t('storage.title')} separatorMargin={6}>
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/storage" search={{}} />}>
          {t('storage.all')}
        </Anchor>
        <Text size="sm">{agent.data.name}</Text>
      </Breadcrumbs>
      {workspace && (
        <UsedBar
          label={t('agents.workspace')}
          used={workspace.bytes}
          max={storage.max_workspace_bytes}
          format={formatBytes}
        />
      )}
      {!mayDelete && (
        <Text size="sm" c="var(--meta)">
          {t('storage.owner_only')}
        </Text>
      )}
      <LargestFiles id={id} mayDelete={mayDelete} />
    </>
  )
}
