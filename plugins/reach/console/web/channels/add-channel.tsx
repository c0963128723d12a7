import { Select } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { KindCards } from '../ui/kind-cards.tsx'
import { Monogram } from '../ui/monogram.tsx'
import type { Values } from '../ui/schema-form-schema.ts'
import { Sheet } from '../ui/sheet.tsx'
import { ChannelFields } from './channel-fields.tsx'
import { type ChannelKind, createChannel, newValues } from './channel-form.ts'

const ScanChannel = lazy(() => import('./scan-channel.tsx'))

interface Props {
  /** The agents among which one is chosen. */
  agents: { id: string; name: string }[]
  /** The names that are taken. */
  names: string[]
  onClose(): void
}

/** Adds a channel: the platform first, then a scan if it has one, otherwise its settings. */
export function AddChannel({ agents, names, onClose }: Props) {
  const { data: kinds = [] } = api.useQuery('get', '/channels/kinds')
  const [agentId, setAgentId] = useState(agents[0]!.id)
  const [kind, setKind] = useState<ChannelKind>()
  const [config, setConfig] = useState<Values>()
  if (kind?.registration && !config)
    return (
      <Suspense>
        <ScanChannel {...{ agentId, kind, onClose }} onConfig={setConfig} />
      </Suspense>
    )
  if (kind) return <NewChannel {...{ agentId, kind, names, onClose }} config={config ?? {}} />
  return (
    <Sheet title={t('channels.add')} onClose={onClose}>
      {agents.length > 1 && (
        <Select
          label={t('channels.agent')}
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          value={agentId}
          allowDeselect={false}
          onChange={(id) => id && setAgentId(id)}
        />
      )}
      <KindCards
        label={t('channels.choose_kind')}
        kinds={kinds}
        onChoose={(kind) => setKind(kind)}
        icon={({ label }) => <Monogram name={label} />}
      />
    </Sheet>
  )
}

interface NewProps {
  agentId: string
  kind: ChannelKind
  names: string[]
  /** Credentials that a scan has brought. */
  config: Values
  onClose(): void
}

function NewChannel({ agentId, kind, names, config, onClose }: NewProps) {
  const draft = useDraft(newValues(kind, names, config))
  const create = async () => {
    await createChannel(agentId, kind, draft.value)
    await refresh('/agents/{id}/channels')
  }
  return (
    <Sheet
      title={t('channels.new', { kind: kind.label })}
      isDirty={draft.isDirty || Object.keys(config).length > 0}
      onSave={create}
      saveLabel={t('forms.add')}
      onClose={onClose}
    >
      <ChannelFields agentId={agentId} kind={kind} values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}
