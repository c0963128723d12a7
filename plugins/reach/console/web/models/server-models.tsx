import { Alert, SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { Section } from '../ui/section.tsx'
import { KIND_LABELS } from './kind-labels.ts'
import { ModelSelect } from './model-select.tsx'

const KINDS = ['image', 'speech', 'transcription', 'rerank'] as const
type Kind = (typeof KINDS)[number]

const ABOUT = {
  image: 'models.uses_image',
  speech: 'models.uses_speech',
  transcription: 'models.uses_transcription',
  rerank: 'models.uses_rerank',
} as const

/** The models that draw, speak, transcribe and rank for all accounts; administrators choose them. */
export function ServerModels() {
  const { data } = api.useQuery('get', '/models/defaults')
  const { data: providers } = api.useQuery('get', '/providers')
  const [error, setError] = useState<unknown>()
  if (!data) return null

  const choose = async (kind: Kind, model: string | null) => {
    setError(undefined)
    await send(client.PUT('/models/defaults', { body: { [kind]: model } })).catch(setError)
    await refresh('/models/defaults')
  }
  const isGlobal = (provider: string) =>
    providers?.some(({ name, scope }) => name === provider && scope === 'global') ?? false
  const disabled = Object.values(data.disabled ?? {})

  return (
    <Section title={t('models.uses')} about={t('models.uses_about')}>
      {disabled.map((model) => (
        <Alert key={model} color="yellow">
          {t('models.active_disabled', { model })}
        </Alert>
      ))}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" maw={760}>
        {KINDS.map((kind) => (
          <ModelSelect
            key={kind}
            kind={kind}
            label={t(KIND_LABELS[kind])}
            description={t(ABOUT[kind])}
            placeholder={t('models.uses_none')}
            clearable
            value={data[kind] ?? data.disabled?.[kind] ?? null}
            onChange={(model) => choose(kind, model)}
            isOffered={({ provider }) => isGlobal(provider)}
          />
        ))}
      </SimpleGrid>
      {error !== undefined && <Failure error={error} />}
    </Section>
  )
}
