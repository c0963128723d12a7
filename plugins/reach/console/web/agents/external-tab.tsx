import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Plus } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { RunnerSheet } from './runner-sheet.tsx'
import { useLoadedAgent } from './use-agent.ts'

type Runner = components['schemas']['AcpRunner']

/** The external coding agents that an agent can call. */
export default function ExternalTab() {
  const { agent } = useLoadedAgent()
  const isAdmin = useAccount().role === 'admin'
  const params = { path: { id: agent.id } }
  const { data, ...query } = api.useQuery('get', '/agents/{id}/acp', { params })
  const [open, setOpen] = useState<{ name: string; runner?: Runner }>()
  const { error, run } = useAction()
  const runners =
    data && Object.entries(data.runners).map(([name, runner]) => ({ name, runner: runner as Runner }))

  const attempt = (change: Promise<unknown>) =>
    run(() => change.finally(() => refresh('/agents/{id}/acp', '/agents/{id}/tool-settings')))
  const setTool = (tool_enabled: boolean) =>
    attempt(send(client.PUT('/agents/{id}/acp', { params, body: { tool_enabled } })))
  const enable = (
    name: string,
    { enabled: _, command: __, args: ___, ...runner }: Runner,
    enabled: boolean,
  ) => attempt(send(client.PUT('/acp/{name}', { params: { path: { name } }, body: { ...runner, enabled } })))

  return (
    <Stack gap="md">
      <Text size="sm" c="var(--meta)">
        {t('agents.external_about')}
      </Text>
      {error !== undefined && <Failure error={error} />}
      {data && (
        <Toggle
          label={t('agents.external_tool')}
          description={t('agents.external_tool_help')}
          checked={data.tool_enabled}
          onToggle={(checked) => setTool(checked)}
        />
      )}
      <List
        {...query}
        rows={runners}
        label={t('agents.external')}
        keyOf={({ name }) => name}
        controls={
          isAdmin && (
            <Button variant="default" leftSection={<Plus size={16} />} onClick={() => setOpen({ name: '' })}>
              {t('agents.runner_new')}
            </Button>
          )
        }
        empty={<Empty title={t('agents.no_runners')}>{t('agents.external_about')}</Empty>}
      >
        {({ name, runner }) => (
          <ListRow
            title={name}
            meta={[runner.command, ...runner.args].join(' ')}
            onOpen={agent.is_owner ? () => setOpen({ name, runner }) : undefined}
          >
            {agent.is_owner && (
              <Toggle
                aria-label={name}
                checked={runner.enabled}
                onToggle={(checked) => enable(name, runner, checked)}
              />
            )}
          </ListRow>
        )}
      </List>
      {open && <RunnerSheet {...open} isAdmin={isAdmin} onClose={() => setOpen(undefined)} />}
    </Stack>
  )
}
