import { Checkbox, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { api, client } from '../../server/client.ts'
import { useFacts } from '../../server/facts.ts'
import { useRows } from '../../server/pages.ts'
import { refresh, send } from '../../server/send.ts'
import { Failure } from '../../ui/failure.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { SendSettings } from '../store/thread-store.ts'
import { useThreadRow } from '../thread-list.ts'
import type { ListedAgent } from '../use-agent.ts'
import classes from './composer.module.css'

interface Props {
  agent: ListedAgent
  /** Without it, the choices are for the thread that the first message begins. */
  thread_id: string | undefined
  settings: SendSettings
  onChange(changes: Partial<SendSettings>): void
}

/** The choice of the knowledge bases and connectors of a conversation. */
export default function SourceOptions(props: Props) {
  const { features } = useFacts()
  return (
    <>
      {features.knowledge && <KnowledgeOptions {...props} />}
      {features.connectors && <ConnectorOptions {...props} />}
    </>
  )
}

/** The knowledge bases that a conversation searches in addition to the knowledge bases of its agent. */
function KnowledgeOptions({ agent: { id, is_owner }, thread_id, settings, onChange }: Props) {
  const { rows = [] } = useRows('/knowledge-bases', { query: { limit: 200 } }, { staleTime: 0 })
  const path = { id }
  const { data: agent } = api.useQuery('get', '/agents/{id}', { params: { path } }, { enabled: is_owner })
  const thread = useThreadRow(id, thread_id)
  // A choice is shown right away, and taken back if it could not be stored.
  const [pendingIds, setPendingIds] = useState<string[]>()
  const { error, run } = useAction()
  const ofThread =
    thread_id === undefined
      ? (settings.knowledge_base_ids ??
        rows.flatMap(({ id, is_owner, is_default }) => (is_owner && is_default ? [id] : [])))
      : (pendingIds ?? thread?.knowledge_base_ids ?? [])
  const choose = (knowledge_base_ids: string[]) => {
    if (thread_id === undefined) return onChange({ knowledge_base_ids })
    const params = { path: { ...path, thread_id } }
    const body = { knowledge_base_ids }
    setPendingIds(knowledge_base_ids)
    void run(async () => {
      await send(client.PATCH('/agents/{id}/threads/{thread_id}', { params, body }))
      await refresh('/agents/{id}/threads')
    }).finally(() => setPendingIds(undefined))
  }
  return (
    <>
      <Choices
        label={t('chat.knowledge')}
        items={rows}
        chosen={rows.flatMap(({ id }) => (ofThread.includes(id) ? [id] : []))}
        always={agent?.knowledge_base_ids ?? []}
        onChange={choose}
      />
      {error !== undefined && <Failure error={error} />}
    </>
  )
}

/** The connectors whose tools the agent has in a conversation, besides its own. */
function ConnectorOptions({ agent: { id, is_owner }, settings, onChange }: Props) {
  const { rows = [] } = useRows('/connectors', { query: { limit: 200 } }, { staleTime: 0 })
  const params = { path: { id } }
  const { data } = api.useQuery('get', '/agents/{id}/connectors', { params }, { enabled: is_owner })
  const { connector_ids = [] } = settings
  return (
    <Choices
      label={t('chat.connectors')}
      items={rows}
      chosen={rows.flatMap(({ id }) => (connector_ids.includes(id) ? [id] : []))}
      always={[
        ...(data?.connectors ?? []).map(({ id }) => id),
        ...rows.flatMap(({ id, is_default }) => (is_default ? [id] : [])),
      ]}
      onChange={(connector_ids) => onChange({ connector_ids })}
    />
  )
}

interface ChoicesProps {
  label: string
  items: { id: string; name: string }[]
  chosen: string[]
  /** Those that are chosen elsewhere: by the agent, or for all conversations. */
  always: string[]
  onChange(chosen: string[]): void
}

function Choices({ label, items, chosen, always, onChange }: ChoicesProps): ReactNode {
  if (items.length === 0) return null
  return (
    <Checkbox.Group
      label={label}
      size="sm"
      value={[...chosen, ...always]}
      onChange={(ids) => onChange(ids.filter((id) => chosen.includes(id) || !always.includes(id)))}
    >
      <Stack gap={6} mt={6} className={classes.choices}>
        {items.map(({ id, name }) => (
          <Checkbox key={id} size="sm" value={id} label={name} disabled={always.includes(id)} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
