import { Alert, Box, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { ModelSelect } from './model-select.tsx'

/** The model of agents that name none; administrators choose it. */
export function ActiveModel({ canChoose }: { canChoose: boolean }) {
  const { data } = api.useQuery('get', '/models/active')
  const { data: providers } = api.useQuery('get', '/providers')
  const [error, setError] = useState<unknown>()
  if (!data) return null

  const choose = async (model: string | null) => {
    setError(undefined)
    if (model) await send(client.PUT('/models/active', { body: { model } })).catch(setError)
    await refresh('/models/active')
  }
  const isGlobal = (provider: string) =>
    providers?.some(({ name, scope }) => name === provider && scope === 'global') ?? false

  return (
    <Box component="section" maw={560}>
      {data.disabled_model && (
        <Alert color="yellow" mb="md">
          {t('models.active_disabled', { model: data.disabled_model })}
        </Alert>
      )}
      {canChoose ? (
        <ModelSelect
          label={t('models.active')}
          description={t('models.active_about')}
          placeholder={t('models.active_none')}
          value={data.model ?? data.disabled_model ?? null}
          onChange={choose}
          isOffered={({ provider }) => isGlobal(provider)}
        />
      ) : (
        <Text size="sm">
          {t('models.active')}: <b>{data.model ?? t('models.active_none')}</b>
        </Text>
      )}
      {error !== undefined && <Failure error={error} />}
    </Box>
  )
}
