import { Button, Menu, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useLoadedAgent } from '../agents/use-agent.ts'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { State } from '../ui/state.tsx'
import { useAction } from '../ui/use-action.ts'
import { type AgentConnector, isOn, replaceConnectors, type ToolState } from './agent-connectors.ts'
import { AgentToolsSheet } from './agent-tools-sheet.tsx'

/** The connectors of an agent, which every conversation with it has. */
export default function ConnectorsTab() {
  const { agent } = useLoadedAgent()
  const params = { path: { id: agent.id } }
  const { data, ...query } = api.useQuery('get', '/agents/{id}/connectors', { params }, { staleTime: 0 })
  const { rows: connectors = [] } = useRows('/connectors', { query: { limit: 200 } })
  const [open, setOpen] = useState<string>()
  const { error, run } = useAction()
  const chosen = data?.connectors ?? []
  const nameOf = (id: string) => connectors.find((connector) => connector.id === id)?.name ?? id
  const unused = connectors.filter(({ id }) => !chosen.some((one) => one.id === id))
  const shown = chosen.find(({ id }) => id === open)

  const replace = (next: AgentConnector[], decided?: Record<string, Record<string, ToolState>>) =>
    run(() => replaceConnectors(agent.id, next, connectors, decided))
  const add = unused.length > 0 && (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" leftSection={<Plus size={16} />}>
          {t('connectors.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {unused.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => replace([...chosen, { id }])}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
  return (
    <Stack gap="md">
      {error !== undefined && <Failure error={error} />}
      <List
        {...query}
        rows={data?.connectors}
        label={t('frame.connectors')}
        keyOf={({ id }) => id}
        controls={add}
        empty={
          <Empty title={t('connectors.agent_empty')} action={connectors.length > 0 ? add : <ToConnectors />}>
            {t(connectors.length > 0 ? 'connectors.agent_about' : 'connectors.agent_none')}
          </Empty>
        }
      >
        {({ id, tools = {} }) => {
          const states = Object.values(tools)
          const unseen = states.filter((tool) => tool.seen === false).length
          return (
            <ListRow
              title={nameOf(id)}
              meta={t('connectors.tools_on', { on: states.filter(isOn).length, all: states.length })}
              onOpen={() => setOpen(id)}
            >
              {unseen > 0 && <State tone="waiting">{t('connectors.unseen', { count: unseen })}</State>}
              <RowMenu
                name={nameOf(id)}
                onEdit={() => setOpen(id)}
                onDelete={() => replace(chosen.filter((one) => one.id !== id))}
                deleteLabel={t('connectors.agent_remove')}
              />
            </ListRow>
          )
        }}
      </List>
      {shown && (
        <AgentToolsSheet
          name={nameOf(shown.id)}
          states={shown.tools ?? {}}
          tools={connectors.find(({ id }) => id === shown.id)?.tools}
          onDecide={(tool, state) => replace(chosen, { [shown.id]: { [tool]: state } })}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Stack>
  )
}

const ToConnectors = () => (
  <Button variant="default" renderRoot={(props) => <Link {...props} to="/connectors" />}>
    {t('frame.connectors')}
  </Button>
)
