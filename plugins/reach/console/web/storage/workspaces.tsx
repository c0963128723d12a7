import { Box } from '@mantine/core'
import type { components } from '#client'
import { AgentIcon } from '../agents/agent-icon.tsx'
import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { asRows, List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Bar, UsedBar } from '../ui/used-bar.tsx'

export type Storage = components['schemas']['Storage']

/** The sizes of all workspaces of the account, each with the way to its files. */
export function Workspaces({ storage }: { storage: Storage }) {
  const { bytes, max_bytes, max_workspace_bytes, workspaces } = storage
  const agents = useRows('/agents').rows
  return (
    <>
      <UsedBar label={t('storage.all')} used={bytes} max={max_bytes} format={formatBytes} />
      <List
        {...asRows({ data: workspaces, error: undefined, refetch: () => undefined })}
        label={t('storage.agents')}
        keyOf={({ agent_id }) => agent_id}
        empty={<Empty title={t('storage.no_agents')}>{t('storage.no_agents_about')}</Empty>}
      >
        {({ agent_id, name, bytes }) => (
          <ListRow
            icon={
              <AgentIcon
                agent={agents?.find(({ id }) => id === agent_id) ?? { name, icon: null, color: null }}
              />
            }
            title={name}
            link={{ to: '/storage', search: { agent: agent_id } }}
            meta={t('account.used_of', { used: formatBytes(bytes), max: formatBytes(max_workspace_bytes) })}
          >
            <Box w={96}>
              <Bar used={bytes} max={max_workspace_bytes} />
            </Box>
          </ListRow>
        )}
      </List>
    </>
  )
}
