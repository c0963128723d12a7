import { Alert, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Failure } from './failure.tsx'
import { useAction } from './use-action.ts'

/** The outcome of a check, in words. */
export interface Outcome {
  isOk: boolean
  text: string
  /** The words of the other side. */
  detail?: string | undefined
}

interface Props {
  label: string
  check(): Promise<Outcome>
}

/** A button that tries settings before they are stored, and what came of it. */
export function Check({ label, check }: Props) {
  const { isBusy, error, run } = useAction()
  const [outcome, setOutcome] = useState<Outcome>()
  const start = () =>
    run(async () => {
      setOutcome(undefined)
      setOutcome(await check())
    })
  return (
    <Stack gap="sm" align="flex-start" aria-live="polite">
      <Button variant="default" onClick={start} loading={isBusy}>
        {label}
      </Button>
      {error !== undefined && <Failure error={error} />}
      {outcome && (
        <Alert
          color={outcome.isOk ? 'indigo' : 'red'}
          variant="light"
          {...(!outcome.isOk && { role: 'alert' })}
        >
          {outcome.text}
          {outcome.detail && (
            <Text size="xs" c="var(--meta)">
              {outcome.detail}
            </Text>
          )}
        </Alert>
      )}
    </Stack>
  )
}
