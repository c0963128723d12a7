import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { ActiveModel } from '../models/active-model.tsx'
import { AddProvider } from '../models/add-provider.tsx'
import { useRows } from '../server/pages.ts'
import { Step } from './step.tsx'

/** Connects a provider of models, and chooses the model that all agents use. */
export function ModelStep({ onNext }: { onNext(): void }) {
  const [isAdding, setAdding] = useState(false)
  const providers = useRows('/providers')
  const isConnected = providers.rows?.some(({ kind }) => kind !== 'demo') ?? false
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
      {isAdding && (
        <AddProvider
          scope="global"
          names={providers.rows?.map(({ name }) => name) ?? []}
          onClose={() => setAdding(false)}
        />
      )}
    </Step>
  )
}
