import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { formatDuration } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import { ModelPicks } from './model-picks.tsx'
import {
  type Provider,
  type ProviderKind,
  type ProviderModel,
  type ProviderValues,
  probeProvider,
  testProvider,
} from './provider-form.ts'
import { useModels } from './use-models.ts'

interface Props {
  kind: ProviderKind
  values: ProviderValues
  onChange(changes: Partial<ProviderValues>): void
  stored?: Provider | undefined
}

type Outcome = components['schemas']['ProviderDraftTest'] | components['schemas']['ProviderTest']

/** Tests a provider before it is stored, and lets one choose among the models that it lists. */
export function ProviderModels({ kind, values, onChange, stored }: Props) {
  const { isBusy, error, run } = useAction()
  const [outcome, setOutcome] = useState<Outcome>()
  const [probed, setProbed] = useState<ProviderModel[]>()
  const usable = useModels({ enabled: stored !== undefined, kind: 'any' })
  // The stored key is not known to the page, so only the server can test with it.
  const usesStored = stored !== undefined && values.api_key === undefined

  const listed = probed ?? usable.filter(({ provider }) => provider === stored?.name).map(toProviderModel)

  const test = () =>
    run(async () => {
      setOutcome(undefined)
      if (usesStored) return setOutcome(await testProvider(stored))
      const outcome = await probeProvider(kind, values)
      setOutcome(outcome)
      setProbed(outcome.models)
    })

  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {t('models.pick')}
      </Text>
      <Group gap="sm">
        <Button variant="default" onClick={test} loading={isBusy}>
          {t('models.test')}
        </Button>
        {!outcome && !error && (
          <Text size="xs" c="var(--meta)">
            {t(usesStored ? 'models.test_stored' : 'models.pick_help')}
          </Text>
        )}
      </Group>
      <div aria-live="polite">
        {error !== undefined && <Failure error={error} />}
        {outcome?.ok === true && (
          <Alert color="indigo" variant="light">
            {outcome.note ??
              t('models.test_ok', { model: outcome.model, time: formatDuration(outcome.latency_ms / 1000) })}
          </Alert>
        )}
        {outcome?.ok === false && (
          <Alert color="red" variant="light" role="alert">
            {outcome.detail}
          </Alert>
        )}
      </div>
      <ModelPicks listed={listed} picked={values.models} onChange={(models) => onChange({ models })} />
    </Stack>
  )
}

/** A model that agents can use now, as the settings of its provider name it. */
const toProviderModel = ({
  model,
  provider: _,
  kind: __,
  price: ___,
  ...facts
}: components['schemas']['Model']): ProviderModel => ({
  ...facts,
  id: model,
  enabled: true,
  embedding: facts.model_kind === 'embedding',
})
