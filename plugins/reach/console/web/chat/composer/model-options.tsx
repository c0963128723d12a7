import { ActionIcon, NativeSelect, Popover, Stack } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { useModels } from '../../models/model-choice.tsx'
import { SlidersHorizontal } from '../../ui/icons.ts'
import { Loading } from '../../ui/pending.tsx'
import type { SendSettings } from '../store/thread-store.ts'
import { useThreadRow } from '../thread-list.ts'
import type { ListedAgent } from '../use-agent.ts'

const ModelSelect = lazy(() =>
  import('../../models/model-select.tsx').then(({ ModelSelect }) => ({ default: ModelSelect })),
)
const SourceOptions = lazy(() => import('./source-options.tsx'))

interface Props {
  agent: ListedAgent
  thread_id: string | undefined
  settings: SendSettings
  onChange(settings: SendSettings): void
}

const LEVELS = ['off', 'low', 'medium', 'high'] as const

/** The model, the reasoning, the knowledge and the connectors that a conversation adds to its agent. */
export function ModelOptions({ agent, thread_id, settings, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const models = useModels({ enabled: isOpen })
  const thread = useThreadRow(agent.id, thread_id)
  const { model, reasoning, connector_ids = [] } = settings
  const { length: bases } = settings.knowledge_base_ids ?? thread?.knowledge_base_ids ?? []
  const change = (changes: Partial<Record<keyof SendSettings, unknown>>) => {
    const chosen = Object.entries({ ...settings, ...changes }).filter(([, value]) => value)
    onChange(Object.fromEntries(chosen))
  }
  const name = models.find(({ id }) => id === model)?.name ?? model
  const differs = [
    name,
    reasoning && t(`chat.${reasoning}`),
    bases > 0 && t('chat.bases_chosen', { count: bases }),
    connector_ids.length > 0 && t('chat.connectors_chosen', { count: connector_ids.length }),
  ]
    .filter(Boolean)
    .join(' · ')
  return (
    <>
      <Popover opened={isOpen} onChange={setOpen} position="top-start" trapFocus returnFocus shadow="md">
        <Popover.Target>
          <ActionIcon
            variant={differs ? 'light' : 'subtle'}
            color={differs ? 'indigo' : 'gray'}
            size={34}
            aria-label={t('chat.options')}
            title={t('chat.options')}
            onClick={() => setOpen(!isOpen)}
          >
            <SlidersHorizontal size={17} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="sm" w={260}>
            <Suspense fallback={<Loading height={60} />}>
              <ModelSelect
                label={t('chat.model')}
                placeholder={t('chat.model_default')}
                value={model ?? null}
                onChange={(model) => change({ model })}
                clearable
                isWithin
              />
            </Suspense>
            <NativeSelect
              size="sm"
              label={t('chat.reasoning')}
              value={reasoning ?? ''}
              data={[
                { value: '', label: t('chat.reasoning_default') },
                ...LEVELS.map((level) => ({ value: level, label: t(`chat.${level}`) })),
              ]}
              onChange={(event) => change({ reasoning: event.currentTarget.value })}
            />
            <Suspense>
              <SourceOptions {...{ agent, thread_id, settings }} onChange={change} />
            </Suspense>
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {differs && <small>{differs}</small>}
    </>
  )
}
