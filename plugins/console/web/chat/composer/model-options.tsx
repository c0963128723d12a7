import { ActionIcon, NativeSelect, Popover, Stack } from '@mantine/core'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../i18n/words.ts'
import { api } from '../../server/client.ts'
import type { SendSettings } from '../store/thread-store.ts'

interface Props {
  settings: SendSettings
  onChange(settings: SendSettings): void
}

const LEVELS = ['off', 'low', 'medium', 'high'] as const

/** The model and the reasoning of the next messages, in place of those of the agent. */
export function ModelOptions({ settings, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { data: models = [] } = api.useQuery('get', '/models', {}, { enabled: isOpen })
  const { model, reasoning } = settings
  const isChanged = model !== undefined || reasoning !== undefined
  const choose = ({ model, reasoning }: SendSettings) =>
    onChange({ ...(model ? { model } : {}), ...(reasoning ? { reasoning } : {}) })
  const name = models.find(({ id }) => id === model)?.name ?? model
  const differs = [name, reasoning && t(`chat.${reasoning}`)].filter(Boolean).join(' · ')
  return (
    <>
      <Popover opened={isOpen} onChange={setOpen} position="top-start" trapFocus returnFocus shadow="md">
        <Popover.Target>
          <ActionIcon
            variant={isChanged ? 'light' : 'subtle'}
            color={isChanged ? 'indigo' : 'gray'}
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
            <NativeSelect
              size="sm"
              label={t('chat.model')}
              value={model ?? ''}
              data={[
                { value: '', label: t('chat.model_default') },
                ...models.map(({ id, name, provider }) => ({ value: id, label: `${name} · ${provider}` })),
              ]}
              onChange={(event) => choose({ ...settings, model: event.currentTarget.value })}
            />
            <NativeSelect
              size="sm"
              label={t('chat.reasoning')}
              value={reasoning ?? ''}
              data={[
                { value: '', label: t('chat.reasoning_default') },
                ...LEVELS.map((level) => ({ value: level, label: t(`chat.${level}`) })),
              ]}
              onChange={(event) => {
                const level = LEVELS.find((one) => one === event.currentTarget.value)
                choose({ ...(model ? { model } : {}), ...(level ? { reasoning: level } : {}) })
              }}
            />
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {differs && <small>{differs}</small>}
    </>
  )
}
