import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Failure } from '../ui/failure.tsx'

const BudgetFailure = lazy(() => import('./budget-failure.tsx'))
const ModelFailure = lazy(() => import('./model-failure.tsx'))

interface Props {
  error: unknown
  onRetry?: (() => void) | undefined
}

/** The failures that the settings of a provider end. */
const MODEL_FAILURES = [
  'NO_MODEL',
  'MODEL_DISABLED',
  'MODEL_NOT_FOUND',
  'MODEL_AUTH_FAILED',
  'MODEL_QUOTA_EXHAUSTED',
] as const

export type ModelFailureCode = (typeof MODEL_FAILURES)[number]

/** A failure of a conversation. */
export function ChatFailure(props: Props) {
  const { code } = readFailure(props.error)
  if (code === 'AGENT_NOT_FOUND')
    return (
      <Text size="sm" role="status">
        {t('chat.agent_gone')}
      </Text>
    )
  const modelFailure = MODEL_FAILURES.find((one) => one === code)
  if (code === 'BUDGET_EXCEEDED')
    return (
      <Suspense>
        <BudgetFailure {...props} />
      </Suspense>
    )
  if (!modelFailure) return <Failure {...props} />
  return (
    <Suspense>
      <ModelFailure {...props} code={modelFailure} />
    </Suspense>
  )
}
