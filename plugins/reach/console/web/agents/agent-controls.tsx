import { ActionIcon, Button, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { owns, useAccount } from '../session/account.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { Ellipsis, Play, RotateCcw, Square, Trash2 } from '../ui/icons.ts'
import { type Agent, controlAgent } from './use-agent.ts'

type Action = 'start' | 'stop' | 'reload'

/** Starts, stops, restarts and deletes an agent. */
export function AgentControls({ agent }: { agent: Agent }) {
  const [busy, setBusy] = useState<Action>()
  const [asking, setAsking] = useState<'stop' | 'delete'>()
  const [error, setError] = useState<unknown>()
  const navigate = useNavigate()
  const { id, name, state } = agent
  const canDelete = owns(useAccount(), agent)
  const isUp = state === 'running' || state === 'starting'

  const control = async (action: Action) => {
    setBusy(action)
    setError(undefined)
    await controlAgent(id, action).catch(setError)
    setBusy(undefined)
  }
  const remove = async () => {
    await send<unknown>(client.DELETE('/agents/{id}', { params: { path: { id } } }))
    await navigate({ to: '/agents' })
    await refresh('/agents')
  }

  return (
    <>
      {!isUp && (
        <Button
          variant="default"
          leftSection={<Play size={16} />}
          loading={busy === 'start'}
          onClick={() => control('start')}
        >
          {t('agents.start')}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="lg"
            loading={busy !== undefined && busy !== 'start'}
            aria-label={t('forms.actions', { name })}
          >
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isUp && (
            <Menu.Item leftSection={<Square size={14} />} onClick={() => setAsking('stop')}>
              {t('agents.stop')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<RotateCcw size={14} />} onClick={() => control('reload')}>
            {t('agents.reload')}
          </Menu.Item>
          {canDelete && (
            <>
              <Menu.Divider />
              <Menu.Item
                c="var(--danger)"
                leftSection={<Trash2 size={14} />}
                onClick={() => setAsking('delete')}
              >
                {t('common.delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {error !== undefined && <Failure error={error} />}
      {asking === 'stop' && (
        <Confirm
          title={t('agents.stop_title', { name })}
          action={t('agents.stop')}
          onConfirm={() => control('stop')}
          onClose={() => setAsking(undefined)}
        >
          {t('agents.stop_about')}
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm
          title={t('agents.delete_title', { name })}
          action={t('common.delete')}
          name={name}
          onConfirm={remove}
          onClose={() => setAsking(undefined)}
        >
          {t('agents.delete_about')}
        </Confirm>
      )}
    </>
  )
}
