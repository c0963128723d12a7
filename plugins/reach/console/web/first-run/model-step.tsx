import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { ActiveModel } from '../models/active-model.tsx'
import { AddProvider } from '../models/add-provider.tsx'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { useAction } from '../ui/use-action.ts'
import { Step } from './step.tsx'

/** Connects a provider of models, and chooses the model that all agents use. */
export function ModelStep({ onNext }: { onNext(): void }) {
  const [isAdding, setAdding] = useState(false)
  const providers = useRows('/providers')
  const isConnected = providers.rows?.some(({ kind }) => kind !== 'demo') ?? false
  const { error, run } = useAction()
  /** Makes the first model of the new provider that chats the default, which the step then offers to change. */
  const choose = (provider: string) =>
    run(async () => {
      const models = await send(client.GET('/models', { params: { query: { limit: 200 } } }))
      const model = models.find((model) => model.provider === provider && model.model_kind === 'chat')
      if (!model) return
      await send(client.PUT('/models/active', { body: { model: model.id } }))
      await refresh('/models/active')
    })
  return (
    <Step
      about={t(isConnected ? 'first-run.model_connected' : 'first-run.model_about')}
      action={
        isConnected ? (
          <Button onClick={onNext}>{t('first-run.next')}</Button>
        ) : (
          <Button onClick={() => setAdding(true)}>{t('first-run.connect')}</Button>
        )
      }
      {...(!isConnected && { onSkip: onNext })}
    >
      {isConnected && <ActiveModel canChoose />}
      {error !== undefined && <Failure error={error} />}
      {isAdding && (
        <AddProvider
          scope="global"
          names={providers.rows?.map(({ name }) => name) ?? []}
          onAdded={choose}
          onClose={() => setAdding(false)}
        />
      )}
    </Step>
  )
}
